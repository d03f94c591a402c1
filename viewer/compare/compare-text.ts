/** A comparison of two runs as lines for a terminal. */
import { duration, grouped, intervalText, NONE, pValue, shortDigest, signed } from '../format.ts';
import type { RunComparison, RunFacts } from './compare-runs.ts';
import type { HeldOutRow, StrictRate } from './held-out.ts';

const FACTS: readonly (readonly [string, (facts: RunFacts) => string])[] = [
  ['run', ({ name }) => name],
  ['preset', ({ preset }) => preset],
  ['seed', ({ seed }) => String(seed)],
  ['content head', ({ contentHead }) => shortDigest(contentHead)],
  ['records', ({ records }) => grouped(records)],
  ['episodes', ({ episodes }) => grouped(episodes)],
  ['action tokens', ({ actionTokens }) => grouped(actionTokens)],
  ['wall time', ({ seconds }) => duration(seconds)],
];

export function compareText(comparison: RunComparison): string {
  const { left, right, config, heldOut } = comparison;
  return [
    ...table(FACTS.map(([name, take]) => [name, take(left), take(right)])),
    '',
    ...(config.length === 0
      ? ['The configurations are equal.']
      : ['Configuration keys that differ:', ...table(config.map((row) => [`  ${row.key}`, ...valuesOf(row)]))]),
    '',
    ...recordLines(comparison),
    '',
    ...(heldOut.length === 0 ? ['Neither run has come to its first evaluation.'] : heldOutLines(heldOut)),
  ].join('\n');
}

function valuesOf(row: RunComparison['config'][number]): string[] {
  return [row.left, row.right].map((value) => (value === undefined ? NONE : JSON.stringify(value)));
}

function recordLines({ equal, left, records }: RunComparison): string[] {
  if (equal) return [`The contents are equal: ${left.records} records, one content head.`];
  const { same, different, onlyLeft, onlyRight, first } = records;
  const counts = `${same} records are equal, ${different} differ, ${onlyLeft} only left, ${onlyRight} only right.`;
  if (first === null) return [counts];
  const { place, kind, what, key } = first;
  const how = what.startsWith('only') ? `is ${what}` : `${what} differ${what === 'content' ? 's' : ''}`;
  return [`They part at ${place} (${kind}): ${how}${key === null ? '' : `, first at ${key}`}.`, counts];
}

function heldOutLines(rows: readonly HeldOutRow[]): string[] {
  return [
    'Strict on tasks that decide nothing (Wilson, 95 %); pairs: the same task in both, exact two-sided McNemar:',
    ...table([
      ['generation', 'set', 'left', 'right', 'pairs', 'only right', 'only left', 'net', 'p'],
      ...rows.map(({ generation, set, left, right, paired }) => [
        ...[String(generation), set, rateText(left), rateText(right)],
        ...(paired === null
          ? ['none', NONE, NONE, NONE, NONE]
          : [...[paired.n, paired.gained, paired.lost].map(String), signed(paired.net), pValue(paired.p)]),
      ]),
    ]),
  ];
}

function rateText(rate: StrictRate | null): string {
  return rate === null ? NONE : `${rate.strict}/${rate.n} (${intervalText(rate.interval)})`;
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ').trimEnd()); // prettier-ignore
}
