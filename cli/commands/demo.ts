/** `rsi demo`: the whole recursion in one process, with live progress and a report at the end. */
import type { Command } from 'commander';
import { addRunOptions, type RunOptions } from '../run-options.ts';

export interface DemoOptions extends RunOptions {
  readonly out?: string;
  readonly json?: string;
  readonly fresh?: boolean;
}

export function addDemoCommand(program: Command, done: (code: number) => void): Command {
  const command = program.command('demo').description('run the whole recursion in one process and report on it');
  return addRunOptions(command)
    .option('--out <dir>', 'run folder (default: one per configuration under ${RSI_HOME:-.rsi}/runs)')
    .option('--json <file>', 'write the report as JSON too')
    .option('--fresh', 'move what the folder holds aside and start anew')
    .addHelpText('after', '\nAfter Ctrl-C the same command goes on from what is stored; a finished run is shown again.')
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../run-demo.ts');
      done(await runDemo(options));
    });
}
