/**
 * What a person typed into the start form becomes a complete, checked configuration: a preset by name (`demo` when none
 * is given) and the keys beside it as overrides. Where no key is left out, the preset is but a name, and may be any.
 */
import { isNativeLinked } from '../infra/native/linked.ts';
import { digestOf } from '../contracts/digest.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { merge, presetFor, presetNames, type Overrides } from '../infra/presets.ts';
import { checkRun } from '../training/check-run.ts';

export function resolveInput(input: unknown): RunConfig {
  const given = input ?? {};
  // Not an object: parsing says so in its words.
  if (typeof given !== 'object' || Array.isArray(given)) return parseRunConfig(given);
  const { preset = 'demo', ...overrides } = given as Overrides;
  if (typeof preset !== 'string') return parseRunConfig({ preset });
  if (preset.includes('/') || preset.endsWith('.json')) {
    throw new Failure('config', `preset '${preset}' is a file; give its keys beside the name of a preset instead`, {
      subject: 'preset',
    });
  }
  const isName = !presetNames().includes(preset) && isComplete(given);
  const base = isName ? { preset } : presetFor(preset, usesNative() ? 'native' : 'wasm');
  const config = parseRunConfig(merge(base, overrides));
  checkRun(config);
  return config;
}

/** Nothing would be filled in: a configuration that was resolved elsewhere, from a file. */
function isComplete(given: object): boolean {
  try {
    return digestOf(parseRunConfig(given)) === digestOf(given);
  } catch {
    return false; // Said with the preset's name, or by the parsing that follows.
  }
}

/** As the compute process of this machine will choose (model/backend.ts). */
function usesNative(): boolean {
  return process.env['TERMINAL_RSI_BACKEND'] !== 'wasm' && isNativeLinked();
}
