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
  const allowed = boundsText('a number', bounds);
  return v.optional(v.pipe(finite(allowed, bounds), v.description(description)), fallback);
}

/** A whole number within bounds; at least 0 unless said otherwise. */
export function count(description: string, fallback: number, bounds: Bounds = { min: 0 }) {
  const allowed = boundsText('a whole number', bounds);
  return v.optional(v.pipe(whole(allowed, bounds), v.description(description)), fallback);
}

/** A whole number within bounds or null, the default: as the machine has it. */
export function countOrAuto(description: string, bounds: Bounds = { min: 0 }) {
  const allowed = `${boundsText('a whole number', bounds)}, or null`;
  return v.optional(v.pipe(v.nullable(whole(allowed, bounds)), v.description(description)), null);
}

function whole(allowed: string, bounds: Bounds) {
  return v.pipe(
    v.number(allowed),
    v.safeInteger(allowed),
    v.check((value) => within(value, bounds), allowed),
    v.metadata({ bounds }),
  );
}

/** A number within bounds or null, which switches the thing off. */
export function realOrOff(description: string, fallback: number | null, bounds: Bounds = {}) {
  const allowed = `${boundsText('a number', bounds)}, or null`;
  return v.optional(v.pipe(v.nullable(finite(allowed, bounds)), v.description(description)), fallback);
}

function finite(allowed: string, bounds: Bounds) {
  return v.pipe(
    v.number(allowed),
    v.finite(allowed),
    v.check((value) => within(value, bounds), allowed),
    v.metadata({ bounds }),
  );
}

export function flag(description: string, fallback: boolean) {
  return v.optional(v.pipe(v.boolean('true or false'), v.description(description)), fallback);
}

export function text(description: string, fallback: string) {
  return v.optional(v.pipe(v.string('a text'), v.description(description)), fallback);
}

export function choice<const T extends readonly [string, ...string[]]>(
  description: string,
  options: T,
  fallback: v.InferInput<v.PicklistSchema<T, undefined>>,
) {
  return v.optional(v.pipe(v.picklist(options, oneOf(options)), v.description(description)), fallback);
}

interface ListOptions<T extends v.GenericSchema> {
  readonly allowed: string;
  readonly most?: number;
  readonly holds?: (items: v.InferOutput<T>[]) => boolean;
}

/** A list of at least one item; `allowed` says in words what it may hold. */
export function list<T extends v.GenericSchema>(
  description: string,
  item: T,
  fallback: readonly v.InferInput<T>[],
  options: ListOptions<T>,
) {
  return v.optional(v.pipe(filledList(item, options), v.description(description)), () => [...fallback]);
}

/**
 * A list or null; null and left out mean the same. Left out it stays out, so that a configuration that does not use the
 * key has the digest that it had before the key was there.
 */
export function listOrNone<T extends v.GenericSchema>(description: string, item: T, options: ListOptions<T>) {
  return v.optional(v.pipe(v.nullable(filledList(item, options)), v.description(description)));
}

function filledList<T extends v.GenericSchema>(item: T, options: ListOptions<T>) {
  const { allowed, most = Infinity, holds = () => true } = options;
  return v.pipe(
    v.array(item, allowed),
    v.minLength(1, allowed),
    v.check((items) => items.length <= most && holds(items), allowed),
    v.metadata({ most: options.most }),
  );
}

/** A named group of keys; left out, it takes all its defaults. */
export function section<T extends v.ObjectEntries>(schema: v.StrictObjectSchema<T, undefined>) {
  return v.optional(schema, {} as v.InferInput<typeof schema>);
}

/** "one of a, b, c" */
export function oneOf(options: readonly string[]): string {
  return `one of ${options.join(', ')}`;
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
export function boundsText(what: string, { min, max, above, below }: Bounds): string {
  const parts = [
    min === undefined ? null : `>= ${min}`,
    above === undefined ? null : `> ${above}`,
    max === undefined ? null : `<= ${max}`,
    below === undefined ? null : `< ${below}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? what : `${what} ${parts.join(' and ')}`;
}
