/** `rsi demo`: the whole recursion in one process, with live progress and a report at the end. */
import type { Command } from 'commander';
import { requireWritableFile } from '../run-folder.ts';
import type { DemoOptions } from '../run-demo.ts';
import { addRunOptions, resolveConfig } from '../run-options.ts';

export function addDemoCommand(program: Command, done: (code: number) => void): Command {
  const command = program.command('demo').description('run the whole recursion in one process and report on it');
  return addRunOptions(command)
    .option('--out <dir>', 'run folder (default: one per configuration under ${RSI_HOME:-.rsi}/runs)')
    .option('--json <file>', 'write the report as JSON too')
    .option('--fresh', 'move what the folder holds aside and start anew')
    .addHelpText('after', '\nAfter Ctrl-C the same command goes on from what is stored; a finished run is shown again.')
    .action(async (options: DemoOptions) => {
      // Before anything slow is even imported: what is wrong on native is wrong on wasm.
      resolveConfig(options, 'native');
      if (options.json !== undefined) requireWritableFile('--json', options.json);
      const { runDemo } = await import('../run-demo.ts');
      done(await runDemo(options));
    });
}
