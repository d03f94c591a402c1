/**
 * What a person typed into the start form becomes a complete, checked configuration: a preset by name (`demo` when none
 * is given) and the keys beside it as overrides.
 */
import { isNativeLinked } from '../infra/native/linked.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { merge, presetFor, type Overrides } from '../infra/presets.ts';
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
  const base = presetFor(preset, usesNative() ? 'native' : 'wasm');
  const config = parseRunConfig(merge(base, overrides));
  checkRun(config);
  return config;
}

/** As the compute process of this machine will choose (model/backend.ts). */
function usesNative(): boolean {
  return process.env['TERMINAL_RSI_BACKEND'] !== 'wasm' && isNativeLinked();
}
