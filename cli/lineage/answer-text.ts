/** An answer of `rsi lineage` as lines: lists one row a line, `key value` pairs, digests short. */
import { printable } from './printable.ts';

const DIGEST = /^[0-9a-f]{64}$/;

export function answerLines(answer: unknown, indent = ''): string[] {
  if (Array.isArray(answer)) {
    return answer.length === 0 ? [`${indent}nothing`] : answer.map((row) => indent + rowLine(row));
  }
  return Object.entries(answer as object).flatMap(([key, value]) => {
    if (value === null) return [];
    if (typeof value !== 'object') return [`${indent}${key}: ${wordOf(value)}`];
    return [`${indent}${key}:`, ...answerLines(value, `${indent}  `)];
  });
}

function rowLine(row: unknown): string {
  if (typeof row !== 'object' || row === null) return wordOf(row);
  return Object.entries(row)
    .filter(([key, value]) => value !== null && key !== 'measures')
    .map(([key, value]) => `${key} ${wordOf(value)}`)
    .join('  ');
}

/** Text that was typed in a sandbox is quoted: it may hold anything. */
function wordOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (DIGEST.test(value)) return value.slice(0, 12);
  return /^[\x20-\x7e]*$/.test(value) && !value.includes('  ') ? value : printable(JSON.stringify(value));
}
