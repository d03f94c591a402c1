/**
 * Canonical JSON (RFC 8785). The library says what canonical is; lists of numbers, which a trajectory mostly is, are
 * written by the engine itself, whose number format is the RFC's: a third of the time for the same text.
 */
import canonicalize from 'canonicalize';

/** Throws on what JSON cannot hold: NaN, infinity, a lone surrogate, nothing at all. */
export function canonicalText(value: unknown): string {
  const text = textOf(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return text;
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (value.every(Number.isFinite)) return JSON.stringify(value);
    return `[${value.map((item) => textOf(item) ?? 'null').join(',')}]`;
  }
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return canonicalize(value);
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, field]) => {
      const text = textOf(field);
      return text === undefined ? [] : [`${canonicalize(key)}:${text}`];
    });
  return `{${fields.join(',')}}`;
}
