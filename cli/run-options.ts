/** The options by which a run is described, shared by `demo` and `plan`, and the configuration they come to. */
import type { Command } from 'commander';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { BackendName } from '../model/backend.ts';
import { checkRun } from './check-config.ts';
import { loadPreset, presetNames } from './presets.ts';
import { applySet, merge, parseValue } from './set-option.ts';

export interface RunOptions {
  readonly preset: string;
  readonly seed?: string;
  readonly generations?: string;
  readonly set: readonly string[];
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--preset <name|file>', `preset (${presetNames().join(', ')}) or a JSON file of overrides`, 'demo')
    .option('--seed <n>', 'the number that alone decides randomness')
    .option('--generations <n>', 'generations after the warm-up critic')
    .option(
      '--set <key=value>',
      'override one key, e.g. policyRefine.iterations=3 (repeatable; JSON values)',
      (value: string, before: readonly string[]) => [...before, value],
      [],
    );
}

/** On WASM the default preset takes a smaller budget, under a name of its own. */
const WASM_OVERLAYS: Readonly<Record<string, string>> = { demo: 'demo-wasm' };

/** Options to a checked, complete configuration; throws one line for the first thing that is wrong. */
export function resolveConfig(options: RunOptions, backend: BackendName): RunConfig {
  const overlay = backend === 'wasm' ? WASM_OVERLAYS[options.preset] : undefined;
  let overrides = loadPreset(options.preset);
  if (overlay !== undefined) overrides = merge(overrides, loadPreset(overlay));
  for (const option of options.set) overrides = applySet(overrides, option);
  if (options.seed !== undefined) overrides = { ...overrides, seed: parseValue(options.seed) };
  if (options.generations !== undefined) overrides = { ...overrides, generations: parseValue(options.generations) };
  const config = parseRunConfig(overrides);
  checkRun(config);
  return config;
}
