/**
 * The table of commands; each is a file in cli/commands and hands its exit code to `done`. Heavy modules are imported
 * by the command that needs them, so that `--help` and a typing mistake answer at once.
 */
import { Command } from 'commander';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addNativeCommand } from './commands/native.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addReportCommand } from './commands/report.ts';
import { usageLine } from './exit.ts';

export function buildProgram(done: (code: number) => void): Command {
  const program = new Command('rsi')
    .description('Recursive self-improvement for terminal agents.')
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .helpCommand(false)
    .exitOverride();
  for (const add of [addDemoCommand, addReportCommand, addPlanCommand, addNativeCommand, addDoctorCommand]) {
    add(program, done).allowExcessArguments(false);
  }
  return program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.');
}
