/** The kinds of values a configuration key may hold, each with its default, bounds and one line of documentation. */
import * as v from 'valibot';

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** Strictly above. */
  readonly above?: number;
  /** Strictly below. */
  readonly below?: number;
}

/** A finite number within bounds. */
export function real(description: string, fallback: number, bounds: Bounds = {}) {
  return v.optional(
    v.pipe(
      v.number(),
      v.finite(),
      v.check((value) => within(value, bounds), boundsText(bounds)),
      v.metadata({ bounds }),
      v.description(description),
    ),
    fallback,
  );
}

/** A whole number within bounds; at least 0 unless said otherwise. */
export function count(description: string, fallback: number, bounds: Bounds = { min: 0 }) {
  return v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.check((value) => within(value, bounds), boundsText(bounds)),
      v.metadata({ bounds }),
      v.description(description),
    ),
    fallback,
  );
}

/** A number within bounds or null, which switches the thing off. */
export function realOrOff(description: string, fallback: number | null, bounds: Bounds = {}) {
  return v.optional(
    v.pipe(
      v.nullable(
        v.pipe(
          v.number(),
          v.finite(),
          v.check((value) => within(value, bounds), `${boundsText(bounds)} or null`),
          v.metadata({ bounds }),
        ),
      ),
      v.description(description),
    ),
    fallback,
  );
}

export function flag(description: string, fallback: boolean) {
  return v.optional(v.pipe(v.boolean(), v.description(description)), fallback);
}

export function choice<const T extends readonly [string, ...string[]]>(
  description: string,
  options: T,
  fallback: T[number],
) {
  return v.optional(v.pipe(v.picklist(options), v.description(description)), fallback as v.InferInput<v.PicklistSchema<T, undefined>>);
}

function within(value: number, { min, max, above, below }: Bounds): boolean {
  return (
    (min === undefined || value >= min) &&
    (max === undefined || value <= max) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below)
  );
}

/** "a number >= 0 and < 1" */
function boundsText({ min, max, above, below }: Bounds): string {
  const parts = [
    min === undefined ? null : `>= ${min}`,
    above === undefined ? null : `> ${above}`,
    max === undefined ? null : `<= ${max}`,
    below === undefined ? null : `< ${below}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'a number' : `a number ${parts.join(' and ')}`;
}
