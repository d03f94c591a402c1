/**
 * The table of commands; each is a file in cli/commands and hands its exit code to `done`. Heavy modules are imported
 * by the command that needs them, so that `--help` and a typing mistake answer at once.
 */
import { Command } from 'commander';
import { addAuditCommand } from './commands/audit.ts';
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
import { usageLine } from './exit.ts';

const COMMANDS = [
  ...[addDemoCommand, addReportCommand, addPlanCommand],
  ...[addUpCommand, addDownCommand, addLaunchCommand, addRunsCommand, addWatchCommand],
  ...[addPauseCommand, addResumeCommand, addStopCommand],
  ...[addAuditCommand, addLineageCommand],
  ...[addNativeCommand, addDoctorCommand],
];

export function buildProgram(done: (code: number) => void): Command {
  const program = new Command('rsi')
    .description('Recursive self-improvement for terminal agents.')
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .helpCommand(false)
    .exitOverride();
  for (const add of COMMANDS) add(program, done).allowExcessArguments(false);
  return program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.');
}
