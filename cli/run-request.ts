/**
 * A durable run as it is asked for: the input of `trainRun`, the configuration it comes to, and the workflow id it goes
 * by. `demo` and `launch` use it, so the same options always mean the same run.
 */
import { resolveInput } from '../activities/resolve-input.ts';
import { digestOf } from '../contracts/digest.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { presetNames, type Overrides } from '../infra/presets.ts';
import { resolveConfig, type RunOptions } from './run-options.ts';
import { applySet, parseValue } from './set-option.ts';

export interface RunRequest {
  readonly workflowId: string;
  readonly input: Overrides;
  readonly config: RunConfig;
}

/** Refuses what the worker would refuse, in the same words. */
export function requestRun(options: RunOptions): RunRequest {
  const { preset, seed, generations, set } = options;
  // No worker can read our files: it is given all that they come to, under their name.
  if (!presetNames().includes(preset)) {
    const config = resolveConfig(options, 'native');
    return { workflowId: runName(config), input: { ...config }, config };
  }
  let input: Overrides = { preset };
  for (const option of set) input = applySet(input, option);
  if (seed !== undefined) input = { ...input, seed: parseValue(seed) };
  if (generations !== undefined) input = { ...input, generations: parseValue(generations) };
  const config = resolveInput(input);
  return { workflowId: runName(config), input, config };
}

/** `run-demo-seed0`; a configuration that is not just its preset with a seed has its digest's beginning behind it. */
export function runName(config: RunConfig): string {
  const { preset, seed } = config;
  const name = `run-${preset.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}-seed${seed}`;
  const digest = digestOf(config);
  const isPreset = presetNames().includes(preset) && digestOf(resolveInput({ preset, seed })) === digest;
  return isPreset ? name : `${name}-${digest.slice(0, 8)}`;
}
