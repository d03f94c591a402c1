/** `rsi demo`: the whole recursion as a durable run, with live progress and a report at the end; `--local`: in one process. */
import type { Command } from 'commander';
import { requireReportFolder, requireWritableFile } from '../run-folder.ts';
import { addRunOptions, resolveConfig, type DemoOptions } from '../run-options.ts';

export function addDemoCommand(program: Command, done: (code: number) => void): Command {
  const command = program.command('demo').description('run the whole recursion and report on it');
  return addRunOptions(command)
    .option('--out <dir>', 'where the report goes, with --local the whole run (default: under ${RSI_HOME:-.rsi}/runs)')
    .option('--json <file>', 'write the report as JSON too')
    .option('--fresh', 'start anew: an open run is stopped first, with --local the folder is moved aside')
    .option('--local', 'in one process and a plain folder, without Temporal and Postgres')
    .addHelpText('after', '\nAfter Ctrl-C the same command goes on from what is stored; a finished run is shown again.')
    .action(async (options: DemoOptions) => {
      // Before anything slow is even imported: what is wrong on native is wrong on wasm.
      resolveConfig(options, 'native');
      if (options.json !== undefined) requireWritableFile('--json', options.json);
      if (options.local) {
        const { runLocalDemo } = await import('../run-local-demo.ts');
        return done(await runLocalDemo(options));
      }
      if (options.out !== undefined) requireReportFolder(options.out);
      const { runDurableDemo } = await import('../run-durable-demo.ts');
      done(await runDurableDemo(options));
    });
}
