/**
 * The table of commands; each is a file in cli/commands and hands its exit code to `done`. Heavy modules are imported
 * by the command that needs them, so that `--help` and a typing mistake answer at once.
 */
import { Command } from 'commander';
import { addAuditCommand } from './commands/audit.ts';
import { addCleanCommand } from './commands/clean.ts';
import { addCompareCommand } from './commands/compare.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addDownCommand } from './commands/down.ts';
import { addLaunchCommand } from './commands/launch.ts';
import { addLineageCommand } from './commands/lineage.ts';
import { addNativeCommand } from './commands/native.ts';
import { addPauseCommand } from './commands/pause.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addReportCommand } from './commands/report.ts';
import { addResumeCommand } from './commands/resume.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addStopCommand } from './commands/stop.ts';
import { addUpCommand } from './commands/up.ts';
import { addWatchCommand } from './commands/watch.ts';
import { EXAMPLES } from './examples.ts';
import { usageLine } from './exit.ts';

const COMMANDS = [
  ...[addDemoCommand, addReportCommand, addPlanCommand],
  ...[addUpCommand, addDownCommand, addCleanCommand, addLaunchCommand, addRunsCommand, addWatchCommand],
  ...[addPauseCommand, addResumeCommand, addStopCommand],
  ...[addCompareCommand, addAuditCommand, addLineageCommand],
  ...[addNativeCommand, addDoctorCommand],
];

export function buildProgram(done: (code: number) => void): Command {
  const program = new Command('rsi')
    .description('Recursive self-improvement for terminal agents.')
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .helpCommand(false)
    .exitOverride();
  for (const add of COMMANDS) addExamples(add(program, done).allowExcessArguments(false), '');
  return program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.');
}

function addExamples(command: Command, within: string): void {
  const name = `${within}${command.name()}`;
  command.addHelpText('after', `\nExample:\n  ${EXAMPLES[name]}`);
  for (const inner of command.commands) addExamples(inner, `${name} `);
}
