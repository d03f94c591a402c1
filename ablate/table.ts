/**
 * docs/ablations.md, made from the rows: per study every seed's strict and partial tasks, means with t intervals, paired
 * differences to the base with their verdict, what it took, and how tasks moved. The section "Reading" is a person's.
 */
import { decimal, duration, grouped, NONE, pValue, signed } from '../viewer/format.ts';
import { effectsOf, endCell, startCell, strictRate, verdictOf, type VariantEffect } from './effects.ts';
import { keptReading, markdownTable } from './markdown.ts';
import { MEASURED_SETS, type AblationRow, type MeasuredSet } from './row.ts';
import type { StoredRows } from './rows.ts';
import type { Study } from './study.ts';

export interface ToldStudy extends StoredRows {
  readonly study: Study;
  /** Path of its figure, from the document. */
  readonly figure: string;
}

const SET_WORDS: Readonly<Record<MeasuredSet, string>> = {
  'held-out': 'Held-out tasks, sampled',
  'held-out-greedy': 'Held-out tasks, greedy',
  composition: 'Unseen composition, sampled',
  'composition-greedy': 'Unseen composition, greedy',
};

const HEAD = `# Ablations

Made by \`npm run ablate\` from the rows in [ablations/](ablations): one mechanism changed at a time, by configuration alone;
do not edit outside of "Reading". Words: [metrics.md](metrics.md).

Mean ± half-width of the 95 % t interval over seeds; differences are paired by seed, in points of a hundred. An effect is
named (**higher**, **lower**) only if all seeds agree in sign and the interval excludes 0. With this many comparisons about
one in twenty intervals excludes 0 by chance; a mechanism that is within noise here is not shown to be useless elsewhere.`;

export function ablationsText(told: readonly ToldStudy[], former: string | null): string {
  const reading = keptReading(former, 'Nothing has been read out of these tables yet.');
  return `${[HEAD, '## Reading', reading, ...told.map(studyText)].join('\n\n')}\n`;
}

function studyText({ study, current, stale, figure }: ToldStudy): string {
  const { preset, diagnostics, about, variants } = study;
  const title =
    diagnostics === null ? `## Preset \`${preset}\`` : `## Diagnosis \`${diagnostics}\`, preset \`${preset}\``;
  const left = stale.map((line) => `- left out: ${line}`);
  if (current.length === 0) return [title, about, 'No row counts today.', ...left].join('\n\n');
  const there = new Set(current.map(({ variant }) => variant));
  return [
    title,
    about,
    `${machinesText(current)} \`${commandOf(study)}\``,
    ...(left.length === 0 ? [] : [left.join('\n')]),
    `![Differences to the base, seed by seed](${figure})`,
    variants
      .filter(({ name }) => there.has(name))
      .map(({ name, about: sentence }) => `- \`${name}\`: ${sentence}`)
      .join('\n'),
    ...MEASURED_SETS.filter((set) => current.some((row) => endCell(row, set).n > 0)).map((set) =>
      setText(current, set),
    ),
    conductText(current),
    movementText(current),
  ].join('\n\n');
}

function commandOf({ preset, diagnostics }: Study): string {
  return `npm run ablate -- --preset ${preset}${diagnostics === null ? '' : ` --diagnostics ${diagnostics}`}`;
}

function machinesText(rows: readonly AblationRow[]): string {
  const machines = new Set(
    rows.map(({ machine, versions, backend }) => {
      const library = `${backend}: ${versions['library'] ?? ''} ${versions['libraryVersion'] ?? ''}`;
      return `${machine.cores} cores ${machine.cpu}, ${machine.memoryGb} GB, ${machine.platform}, ${library}`;
    }),
  );
  const dates = [...new Set(rows.map(({ date }) => date))].sort();
  return `${[...machines].join('; ')}; ${[...new Set([dates[0], dates.at(-1)])].join(' to ')}.`;
}

/** Each cell: strict of all with a verdict, and how many of the others have some progress. */
function setText(rows: readonly AblationRow[], set: MeasuredSet): string {
  const seeds = seedsOf(rows);
  const head = ['variant', ...seeds.map((seed) => `seed ${seed}`), 'strict %', 'difference', 'by seed', 'verdict'];
  const body = effectsOf(rows, strictRate(set)).map((effect) => [
    effect.variant,
    ...seeds.map((seed) => {
      const row = rows.find((one) => one.variant === effect.variant && one.seed === seed);
      if (row === undefined) return NONE;
      const { strict, n, partial } = endCell(row, set);
      return `${strict}/${n} +${partial}`;
    }),
    meanText(effect.over),
    ...differenceCells(effect),
  ]);
  const firsts = rows.filter(({ variant }) => variant === rows[0]?.variant).map((row) => startCell(row, set));
  const start = firsts.map(({ strict, n }) => `${strict}/${n}`).join(', ');
  return `### ${SET_WORDS[set]}: strict, +partial\n\nAt the start (\`${rows[0]?.variant}\`): ${start}.\n\n${markdownTable(head, body)}`;
}

function differenceCells({ differences, effect }: VariantEffect): string[] {
  if (differences === null || effect === null) return ['', '', ''];
  const { mean, halfWidth } = effect;
  const half = halfWidth === null ? '' : ` ± ${decimal(halfWidth * 100, 1)}`;
  return [
    mean === null ? NONE : `${signed(mean * 100, 1)}${half}`,
    differences.map(({ difference }) => signed(difference * 100, 1)).join(', '),
    verdictOf(effect),
  ];
}

/** What a run took, as means over its seeds; and how the tasks were solved that were solved at both ends. */
function conductText(rows: readonly AblationRow[]): string {
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const head = [
    'variant',
    'episodes',
    'tokens',
    'wall time',
    'turns, both ends',
    'tokens, both ends',
    'failed, both ends',
    'turns vs base',
    'verdict',
  ];
  const turns = effectsOf(rows, ({ solvedAtBothEnds }) => solvedAtBothEnds['held-out'].turns[1]);
  const body = variants.map((variant) => {
    const members = rows.filter((row) => row.variant === variant);
    const mean = (measure: (row: AblationRow) => number | null): number | null => {
      const values = members.flatMap((row) => measure(row) ?? []);
      return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const change = (measure: 'turns' | 'actionTokens' | 'failedCommands'): string => {
      const [before, after] = [0, 1].map((end) =>
        mean((row) => row.solvedAtBothEnds['held-out'][measure][end] ?? null),
      );
      return `${decimal(before ?? null)} → ${decimal(after ?? null)}`;
    };
    const { effect = null } = turns.find((one) => one.variant === variant) ?? {};
    const half = effect?.halfWidth ?? null;
    return [
      variant,
      grouped(mean(({ episodes }) => episodes) ?? 0),
      grouped(mean(({ tokens }) => tokens) ?? 0),
      duration(mean(({ wallSeconds }) => wallSeconds) ?? 0),
      ...[change('turns'), change('actionTokens'), change('failedCommands')],
      effect === null ? '' : `${signed(effect.mean, 3)}${half === null ? '' : ` ± ${decimal(half, 3)}`}`,
      effect === null ? '' : verdictOf(effect),
    ];
  });
  const note =
    'Means over seeds. Both ends: per held-out task, sampled, that was strict at the start and is at the end. ' +
    'Wall time counts a start that was taken from the base as if it had been made.';
  return `### What it took, and how tasks are solved\n\n${note}\n\n${markdownTable(head, body)}`;
}

function movementText(rows: readonly AblationRow[]): string {
  const seeds = seedsOf(rows);
  const body = [...new Set(rows.map(({ variant }) => variant))].map((variant) => [
    variant,
    ...seeds.map((seed) => {
      const movement = rows.find((row) => row.variant === variant && row.seed === seed)?.movement;
      if (movement === undefined) return NONE;
      return `+${movement.gained} −${movement.lost}, p ${pValue(movement.p)}`;
    }),
  ]);
  const note =
    'Held-out tasks, greedy, from the start to the promoted end: tasks that became strict, tasks that no longer are, exact ' +
    'two-sided McNemar p. The whole 3x3 tables are in the rows.';
  return `### Movement\n\n${note}\n\n${markdownTable(['variant', ...seeds.map((seed) => `seed ${seed}`)], body)}`;
}

function seedsOf(rows: readonly AblationRow[]): number[] {
  return [...new Set(rows.map(({ seed }) => seed))].sort((a, b) => a - b);
}

function meanText({ mean, halfWidth }: { readonly mean: number | null; readonly halfWidth: number | null }): string {
  if (mean === null) return NONE;
  return `${decimal(mean * 100, 1)}${halfWidth === null ? '' : ` ± ${decimal(halfWidth * 100, 1)}`}`;
}
