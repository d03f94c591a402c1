/**
 * What a finished run leaves in the repository: enough to make the table and the figure from, and to find the run again.
 * A pure function of the run's result and its records. Words: docs/metrics.md.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { digestOf } from '../contracts/digest.ts';
import type { StoredRecord } from '../contracts/run-store.ts';
import type { MovementTable } from '../rl/movement-table.ts';
import type { Evaluation, EvaluationSet, TaskOutcome } from '../training/evaluate.ts';
import { movesBetween, ratesOf, solvedAtBothEnds } from '../training/rates.ts';
import type { RunEnd } from '../training/recursion.ts';
import type { RunResult } from '../training/run-result.ts';
import type { ChangedKey } from '../viewer/report/changed-keys.ts';
import { promotedEvaluation } from '../viewer/report/evaluations.ts';
import { criticReports, type CriticReport } from '../viewer/report/refinements.ts';
import { timeReport } from '../viewer/report/time-shares.ts';

/** Raised whenever a field changes its name or meaning. */
export const ROW_SCHEMA = 'terminal-rsi/ablation-row/2';

export const MEASURED_SETS = ['held-out', 'held-out-greedy', 'composition', 'composition-greedy'] as const;
export type MeasuredSet = Extract<EvaluationSet, (typeof MEASURED_SETS)[number]>;

export interface Cell {
  /** Tasks with a verdict. */
  readonly n: number;
  readonly strict: number;
  /** Some progress, not strict. */
  readonly partial: number;
  /** Means over n; null for n = 0. */
  readonly progress: number | null;
  readonly turns: number | null;
  readonly failedCommands: number | null;
}

/** Held-out tasks that were strict at the start and are at the end: what became of the way there. */
export interface ConductAtBothEnds {
  readonly tasks: number;
  readonly turns: readonly [start: number | null, end: number | null];
  readonly actionTokens: readonly [start: number | null, end: number | null];
  readonly failedCommands: readonly [start: number | null, end: number | null];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly platform: string;
}

/** What the result does not say of itself. */
export interface RowCircumstances {
  readonly study: string;
  readonly preset: string;
  readonly diagnostics: string | null;
  readonly variant: string;
  readonly changed: readonly ChangedKey[];
  readonly workflowId: string;
  readonly backend: 'native' | 'wasm';
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
  /** Records of generation 0 that were taken from the base's run of that seed; null: all were made here. */
  readonly shared: {
    readonly from: string;
    readonly parts: readonly string[];
    readonly records: number;
    readonly seconds: number;
  } | null;
  /** YYYY-MM-DD */
  readonly date: string;
}

export interface AblationRow extends RowCircumstances {
  readonly schema: typeof ROW_SCHEMA;
  readonly seed: number;
  /** Complete. */
  readonly config: RunConfig;
  /** The lineage knows the run by it. */
  readonly configDigest: string;
  readonly contentHead: string;
  readonly end: RunEnd & { readonly promotedGeneration: number };
  readonly generations: readonly {
    readonly generation: number;
    /** Null for the start. */
    readonly promoted: boolean | null;
    readonly sets: Readonly<Record<MeasuredSet, Cell>>;
  }[];
  /** Greedy, held-out: from the start to the promoted end. */
  readonly movement: MovementTable;
  readonly solvedAtBothEnds: Readonly<Record<'held-out' | 'held-out-greedy', ConductAtBothEnds>>;
  /** Played by a policy: evaluations, probes and rewrites too, demonstrations not. */
  readonly episodes: number;
  /** Sampled in them. */
  readonly tokens: number;
  /** Active seconds, those of shared records as the base's run took them. */
  readonly wallSeconds: number;
  readonly critic: readonly Pick<
    CriticReport,
    'generation' | 'stageIndex' | 'when' | 'iteration' | 'explainedVariance'
  >[];
}

export function rowOf(
  result: RunResult,
  records: readonly StoredRecord[],
  circumstances: RowCircumstances,
): AblationRow {
  const [start, end] = [result.start, promotedEvaluation(result)];
  const groups = records.flatMap(({ place, content }) =>
    content.kind === 'group' && place.step !== 'demonstrations' ? [(content as GroupRef).summary] : [],
  );
  return {
    schema: ROW_SCHEMA,
    ...circumstances,
    seed: result.config.seed,
    config: result.config,
    configDigest: digestOf(result.config),
    contentHead: result.contentHead,
    end: { ...result.end, promotedGeneration: result.promotedGeneration },
    generations: [
      { generation: 0, promoted: null, sets: setsOf(start) },
      ...result.generations.map(({ generation, promotion, evaluation }) => ({
        ...{ generation, promoted: promotion.promoted, sets: setsOf(evaluation) },
      })),
    ],
    movement: movesBetween(start.outcomes['held-out-greedy'], end.outcomes['held-out-greedy']),
    solvedAtBothEnds: {
      'held-out': conduct(start.outcomes['held-out'], end.outcomes['held-out']),
      'held-out-greedy': conduct(start.outcomes['held-out-greedy'], end.outcomes['held-out-greedy']),
    },
    episodes: groups.reduce((sum, { episodes }) => sum + episodes, 0),
    tokens: groups.reduce((sum, { actionTokens }) => sum + actionTokens, 0),
    wallSeconds: Math.round(timeReport(records).total),
    critic: criticReports(result).map(({ generation, stageIndex, when, iteration, explainedVariance }) => ({
      ...{ generation, stageIndex, when, iteration, explainedVariance: rounded(explainedVariance) },
    })),
  };
}

function setsOf({ outcomes }: Evaluation): Record<MeasuredSet, Cell> {
  return Object.fromEntries(MEASURED_SETS.map((set) => [set, cellOf(outcomes[set])])) as Record<MeasuredSet, Cell>;
}

function cellOf(outcomes: readonly TaskOutcome[]): Cell {
  const { n, strict, partialMean, turns, failedCommands } = ratesOf(outcomes);
  const partial = outcomes.filter(({ state }) => state === 'partial').length;
  return {
    ...{ n, strict, partial, progress: rounded(partialMean) },
    ...{ turns: rounded(turns), failedCommands: rounded(failedCommands) },
  };
}

function conduct(start: readonly TaskOutcome[], end: readonly TaskOutcome[]): ConductAtBothEnds {
  const { tasks, before, after } = solvedAtBothEnds(start, end);
  const pair = (measure: 'turns' | 'actionTokens' | 'failedCommands') =>
    [rounded(before[measure]), rounded(after[measure])] as const;
  return {
    ...{ tasks, turns: pair('turns'), actionTokens: pair('actionTokens') },
    failedCommands: pair('failedCommands'),
  };
}

/** Means to read; nothing is computed from their last digits. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1e4) / 1e4;
}
