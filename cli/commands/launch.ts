/** `rsi launch [PRESET|FILE]`: starts a durable run, as the Web UI's form does. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import { presetNames } from '../../infra/presets.ts';
import { requestRun } from '../run-request.ts';

interface LaunchOptions {
  readonly id?: string;
  readonly seed?: string;
  readonly generations?: string;
  readonly set: readonly string[];
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly schema?: boolean;
}

export function addLaunchCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('launch')
    .description('start a durable run')
    .argument('[preset|file]', `preset (${presetNames().join(', ')}) or a JSON file of overrides`, 'demo')
    .option(
      '--id <id>',
      'workflow id; one that is open is attached to (default: run-<preset>-seed<n>, as of `rsi demo`)',
    )
    .option('--seed <n>', 'the number that alone decides randomness')
    .option('--generations <n>', 'generations after the warm-up critic')
    .option(
      '--set <key=value>',
      'override one key (repeatable; JSON values)',
      (value: string, before: readonly string[]) => [...before, value],
      [],
    )
    .option('--watch', 'follow it to its end')
    .option('--json', 'print JSON')
    .option('--schema', 'print the JSON Schema of the configuration, and start nothing')
    .action(async (preset: string, options: LaunchOptions) => {
      if (!options.schema) return done(await launch(preset, options));
      const { configSchemaText } = await import('../../infra/config-schema.ts');
      process.stdout.write(configSchemaText());
      done(EXIT.done);
    });
}

async function launch(preset: string, options: LaunchOptions): Promise<number> {
  // Refused here as the worker would, before anything is started.
  const { input, workflowId: name } = requestRun({ ...options, preset });
  const { openClient } = await import('../../workers/open-client.ts');
  const { launchRun } = await import('../../workers/launch-run.ts');
  const opened = await openClient();
  try {
    const workflowId = options.id ?? name;
    const handle = await launchRun({ client: opened.client, input, workflowId });
    const link = opened.linkTo(workflowId);
    if (options.json) console.log(JSON.stringify({ workflowId, link, input }));
    else console.log(`run ${workflowId}${link === null ? '' : `\n${link}`}`);
    if (!options.watch) return EXIT.done;
    const { followRun } = await import('../follow-run.ts');
    return await followRun(opened.client, handle, options.json ?? false);
  } finally {
    await opened.close();
  }
}
