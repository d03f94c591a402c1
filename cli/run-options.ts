/** The options by which a run is described, shared by `demo` and `plan`, and the configuration they come to. */
import type { Command } from 'commander';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { BackendName } from '../model/backend.ts';
import { presetFor, presetNames } from '../infra/presets.ts';
import { checkRun } from '../training/check-run.ts';
import { applySet, parseValue } from './set-option.ts';

export interface RunOptions {
  readonly preset: string;
  readonly seed?: string;
  readonly generations?: string;
  readonly set: readonly string[];
}

/** Of `demo`. */
export interface DemoOptions extends RunOptions {
  readonly out?: string;
  readonly json?: string;
  readonly fresh?: boolean;
  /** In one process, in a plain folder. */
  readonly local?: boolean;
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

/** Options to a checked, complete configuration; throws one line for the first thing that is wrong. */
export function resolveConfig(options: RunOptions, backend: BackendName): RunConfig {
  let overrides = presetFor(options.preset, backend);
  for (const option of options.set) overrides = applySet(overrides, option);
  if (options.seed !== undefined) overrides = { ...overrides, seed: parseValue(options.seed) };
  if (options.generations !== undefined) overrides = { ...overrides, generations: parseValue(options.generations) };
  const config = parseRunConfig(overrides);
  checkRun(config);
  return config;
}
