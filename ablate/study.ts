/**
 * What is compared with what: a setting, and variants of it that differ in one mechanism each. Configuration only; nothing
 * of the loop knows that it is being studied. The first variant is the base that the others are held against.
 */
import { parseRunConfig, unknownName } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { merge, presetFor, type Overrides } from '../infra/presets.ts';
import type { BackendName } from '../model/backend.ts';
import { checkRun } from '../training/check-run.ts';

export const BASE = 'base';

export interface Variant {
  readonly name: string;
  /** What it takes away, and where theory says that it matters: one sentence. */
  readonly about: string;
  /** Keys that differ from the base's configuration; empty for the base. */
  readonly changes: (base: RunConfig) => Overrides;
}

export interface Study {
  /** Folder of its rows and part of its workflow ids: 'demo', 'demo-tb-gae'. */
  readonly name: string;
  readonly preset: string;
  /** Null: the mechanisms in the preset as it is. */
  readonly diagnostics: string | null;
  readonly about: string;
  /** Keys of the preset that all its variants change. */
  readonly setting: Overrides;
  readonly variants: readonly Variant[];
}

export function studyName(preset: string, diagnostics: string | null): string {
  return diagnostics === null ? preset : `${preset}-${diagnostics}`;
}

export function variantNamed({ variants }: Study, name: string): Variant {
  const found = variants.find((variant) => variant.name === name);
  if (found !== undefined) return found;
  const known = variants.map((variant) => variant.name);
  throw new Failure('config', unknownName('variant', name, known), { subject: name });
}

/** The checked, complete configuration of one run. */
export function configOf(study: Study, variant: Variant, seed: number, backend: BackendName): RunConfig {
  const base = parseRunConfig({ ...merge(presetFor(study.preset, backend), study.setting), seed });
  const config = parseRunConfig(merge(base, variant.changes(base)));
  checkRun(config);
  return config;
}

/** `rsi report|audit|compare|lineage` know the run by it. */
export function workflowIdOf(study: Study, variant: Variant, seed: number): string {
  return `ablate-${study.name}-${variant.name}-seed${seed}`;
}
