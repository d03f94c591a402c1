// Argument checks shared by the formulas: one line, what was got, what is needed.
// Called by every file of this folder at its public entry points.

/** A finite number; `index` is only put into the message, so that a loop over tokens builds no strings. */
export function requireFinite(what: string, value: number, index?: number): number {
  if (!Number.isFinite(value)) {
    throw new RangeError(`${index === undefined ? what : `${what} ${index}`}: got ${value}; need a finite number`);
  }
  return value;
}

/** A number in [low, high]. */
export function requireInRange(what: string, value: number, low: number, high: number): number {
  if (!(value >= low && value <= high)) throw new RangeError(`${what}: got ${value}; need ${low} .. ${high}`);
  return value;
}

/** An integer >= low. */
export function requireCount(what: string, value: number, low = 0): number {
  if (!Number.isSafeInteger(value) || value < low) {
    throw new RangeError(`${what}: got ${value}; need an integer >= ${low}`);
  }
  return value;
}

/** A finite number > 0. */
export function requirePositive(what: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`${what}: got ${value}; need a number > 0`);
  return value;
}

/** min(max(value, low), high); NaN stays NaN. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
