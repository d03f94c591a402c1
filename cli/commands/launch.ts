/** `rsi launch [PRESET|FILE]`: starts a durable run, as the Web UI's form does. */
import type { Command } from 'commander';
import { resolveInput } from '../../activities/resolve-input.ts';
import { EXIT } from '../exit.ts';
import { presetFor, presetNames, type Overrides } from '../../infra/presets.ts';
import { applySet, parseValue } from '../set-option.ts';

interface LaunchOptions {
  readonly id?: string;
  readonly seed?: string;
  readonly generations?: string;
  readonly set: readonly string[];
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function addLaunchCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('launch')
    .description('start a durable run')
    .argument('[preset|file]', `preset (${presetNames().join(', ')}) or a JSON file of overrides`, 'demo')
    .option('--id <id>', 'workflow id; one that is open is attached to (default: run-<preset>-seed<n>)')
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
    .action(async (preset: string, options: LaunchOptions) => done(await launch(preset, options)));
}

async function launch(preset: string, options: LaunchOptions): Promise<number> {
  const input = inputOf(preset, options);
  // Refused here as the worker would, before anything is started.
  const config = resolveInput(input);
  const { openClient } = await import('../../workers/open-client.ts');
  const { launchRun } = await import('../../workers/launch-run.ts');
  const opened = await openClient();
  try {
    const workflowId = options.id ?? `run-${config.preset}-seed${config.seed}`;
    const handle = await launchRun({ client: opened.client, input, workflowId });
    const link = opened.linkTo(workflowId);
    if (options.json) console.log(JSON.stringify({ workflowId, link, input }));
    else console.log(`run ${workflowId}${link === null ? '' : `\n${link}`}`);
    if (!options.watch) return EXIT.done;
    const { follow } = await import('./watch.ts');
    return await follow(opened.client, handle, options.json ?? false);
  } finally {
    await opened.close();
  }
}

/** A preset by its name; the keys of a file beside the name of the preset that all defaults are of. */
function inputOf(preset: string, { seed, generations, set }: LaunchOptions): Overrides {
  let input: Overrides = presetNames().includes(preset)
    ? { preset }
    : { ...presetFor(preset, 'native'), preset: 'demo' };
  for (const option of set) input = applySet(input, option);
  if (seed !== undefined) input = { ...input, seed: parseValue(seed) };
  if (generations !== undefined) input = { ...input, generations: parseValue(generations) };
  return input;
}
