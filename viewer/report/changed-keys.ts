/** Which configuration keys differ from the documented defaults. */
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';

export interface ChangedKey {
  /** Dotted: 'policyRefine.iterations'. */
  readonly key: string;
  readonly value: unknown;
  readonly fallback: unknown;
}

export function changedKeys(config: RunConfig): ChangedKey[] {
  return differences(flatten(config), flatten(parseRunConfig({})));
}

/** Every key of a configuration, dotted, in the order it is documented in. */
export function flatten(config: RunConfig): Map<string, unknown> {
  const entries = Object.entries(config).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([inner, innerValue]) => [`${key}.${inner}`, innerValue])
      : [[key, value]],
  );
  return new Map(entries);
}

export function differences(given: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): ChangedKey[] {
  return [...given].flatMap(([key, value]) => {
    const fallback = other.get(key);
    return JSON.stringify(value) === JSON.stringify(fallback) ? [] : [{ key, value, fallback }];
  });
}
