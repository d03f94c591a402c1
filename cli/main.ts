#!/usr/bin/env -S npx tsx
/**
 * `rsi`: one command line for everything. Each command is a file in cli/commands; exit codes are in exit.ts. Heavy
 * modules are imported by the command that needs them, so that `--help` and a typing mistake answer at once.
 */
import { Command } from 'commander';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addNativeCommand } from './commands/native.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addReportCommand } from './commands/report.ts';
import { EXIT, reportError, usageLine } from './exit.ts';

/** Every action returns its exit code through `done`. */
export function buildProgram(done: (code: number) => void): Command {
  const program = new Command('rsi')
    .description('Recursive self-improvement for terminal agents.')
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .helpCommand(false)
    .exitOverride();
  for (const add of [addDemoCommand, addReportCommand, addPlanCommand, addNativeCommand, addDoctorCommand]) {
    add(program, done).copyInheritedSettings(program).allowExcessArguments(false);
  }
  program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.');
  return program;
}

async function main(): Promise<number> {
  let code: number = EXIT.done;
  try {
    const program = buildProgram((result) => (code = result));
    if (process.argv.length <= 2) program.help();
    await program.parseAsync();
  } catch (error) {
    code = reportError(error);
  }
  return code;
}

// Threads and native handles may still be open: the process ends here, with everything stored.
process.exit(await main());
