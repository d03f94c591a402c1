/** Where a run is, as the query `progress` and the details panel of the Web UI tell it. Pure: state, event, next state. */
import type { Budget, EvaluationNote, FamilyNote, FinishedRun } from '../activities/run-ref.ts';
import { measured, NONE_ADDED, textOf, type AddedFamilies } from './added-families.ts';

/** A generation's line in the table; 0 is the start. What is not known yet is null. */
export interface GenerationRow {
  readonly generation: number;
  readonly evaluation: EvaluationNote | null;
  readonly candidates: number;
  readonly accepted: number;
  readonly klToStart: number | null;
  readonly promoted: boolean | null;
}

export type RunStatus = 'claiming' | 'running' | 'paused' | 'stopping' | 'finished';

export interface RunProgress {
  readonly status: RunStatus;
  readonly pausedBecause: string | null;
  readonly runId: number | null;
  readonly ordinal: number | null;
  readonly preset: string | null;
  readonly seed: number | null;
  readonly generation: number;
  readonly generations: number;
  readonly stage: string;
  /** Where the work happens: its pending activity tells how far it is. */
  readonly workflowId: string;
  readonly budget: Budget;
  readonly rows: readonly GenerationRow[];
  /** What `addTasks` brought into the run. */
  readonly added: AddedFamilies;
  readonly finished: FinishedRun | null;
}

/** What the workflows of a run tell it. */
export type Report =
  | { readonly kind: 'stage'; readonly generation: number; readonly stage: string; readonly workflowId: string }
  | ({ readonly kind: 'row'; readonly generation: number } & Partial<Omit<GenerationRow, 'generation'>>)
  | { readonly kind: 'joined'; readonly families: readonly FamilyNote[] }
  | { readonly kind: 'parked'; readonly reason: string };

export function startOfProgress(workflowId: string): RunProgress {
  return {
    ...{ status: 'claiming', pausedBecause: null, runId: null, ordinal: null, preset: null, seed: null },
    ...{ generation: 0, generations: 0, stage: 'claim', workflowId, budget: {}, rows: [], finished: null },
    added: NONE_ADDED,
  };
}

export function reported(progress: RunProgress, report: Report): RunProgress {
  switch (report.kind) {
    case 'stage': {
      const { generation, stage, workflowId } = report;
      return { ...progress, generation, stage, workflowId };
    }
    case 'row': {
      const { kind: _, generation, accepted = 0, candidates = 0, ...rest } = report;
      const before = progress.rows.find((row) => row.generation === generation) ?? emptyRow(generation);
      // A kind of stage may stand twice: its counts add up.
      const row = {
        ...{ ...before, ...rest },
        accepted: before.accepted + accepted,
        candidates: before.candidates + candidates,
      };
      return { ...progress, rows: [...progress.rows.filter((other) => other.generation !== generation), row] };
    }
    case 'joined':
      return { ...progress, added: measured(progress.added, report.families) };
    case 'parked':
      return { ...progress, status: 'paused', pausedBecause: report.reason };
  }
}

function emptyRow(generation: number): GenerationRow {
  return { generation, evaluation: null, candidates: 0, accepted: 0, klToStart: null, promoted: null };
}

/** The panel of the Web UI, in Markdown. */
export function detailsOf(progress: RunProgress): string {
  const { status, preset, seed, generation, generations, stage, pausedBecause, rows, finished } = progress;
  const head = [
    `**${status}**${pausedBecause === null ? '' : `: ${escaped(pausedBecause)}`}`,
    `generation ${generation} of ${generations}, ${stage}`,
    `preset ${escaped(preset ?? '?')}, seed ${seed ?? '?'}${progress.runId === null ? '' : `, run ${progress.runId}`}`,
  ].join(' · ');
  const table =
    rows.length === 0
      ? []
      : [
          '',
          '| generation | strict | partial | held out | rewrites | KL to start | |',
          '|---|---|---|---|---|---|---|',
        ];
  const end =
    finished === null
      ? []
      : ['', `Ended: ${escaped(finished.end.reason)}. Content head \`${finished.contentHead.slice(0, 16)}\`.`];
  const added = textOf(progress.added, finished !== null);
  return [head, ...table, ...rows.map(rowText), ...(added === '' ? [] : ['', escaped(added)]), ...end].join('\n');
}

function rowText({ generation, evaluation, candidates, accepted, klToStart, promoted }: GenerationRow): string {
  const rate = (strict: number, n: number): string =>
    n === 0 ? '-' : `${strict}/${n} (${((100 * strict) / n).toFixed(1)} %)`;
  const cells = [
    String(generation),
    evaluation === null ? '' : rate(evaluation.strict, evaluation.n),
    evaluation?.partial == null ? '' : evaluation.partial.toFixed(3),
    evaluation === null ? '' : rate(evaluation.heldOutStrict, evaluation.heldOutN),
    candidates === 0 ? '' : `${accepted}/${candidates}`,
    klToStart === null ? '' : klToStart.toFixed(4),
    promoted === null ? '' : promoted ? 'promoted' : 'rolled back',
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Text of people inside of Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);
}
