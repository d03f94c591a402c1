/** Rates of every evaluation set at every evaluation point, and the headline: the start against the promoted end. */
import type { MovementTable } from '../../rl/movement-table.ts';
import { EVALUATION_SETS, type Evaluation, type EvaluationSet } from '../../training/evaluate.ts';
import {
  movesBetween,
  ratesBy,
  ratesOf,
  solvedAtBothEnds,
  subGoalRates,
  type Rates,
  type SolvedAtBothEnds,
} from '../../training/rates.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface SetReport {
  readonly rates: Rates;
  readonly byFamily: Readonly<Record<string, Rates>>;
  /** Keys '1', '2', ...: number of sub-goals. */
  readonly bySubGoals: Readonly<Record<string, Rates>>;
  /** Keys such as '2 of 3'. */
  readonly byPosition: ReturnType<typeof subGoalRates>;
}

export interface EvaluationReport {
  readonly generation: number;
  /** Null for the start, which nothing decides on. */
  readonly promoted: boolean | null;
  readonly policy: string;
  readonly sets: Readonly<Record<EvaluationSet, SetReport>>;
}

export interface Headline {
  readonly set: EvaluationSet;
  readonly tasks: 'held-out' | 'unseen composition';
  readonly decoding: 'greedy' | 'sampled';
  readonly before: Rates;
  readonly after: Rates;
  /** Task by task, so paired: net gain and its p. */
  readonly moves: Pick<MovementTable, 'gained' | 'lost' | 'net' | 'p'>;
  readonly solvedAtBothEnds: SolvedAtBothEnds;
}

const HEADLINE_SETS = [
  { set: 'held-out-greedy', tasks: 'held-out', decoding: 'greedy' },
  { set: 'held-out', tasks: 'held-out', decoding: 'sampled' },
  { set: 'composition-greedy', tasks: 'unseen composition', decoding: 'greedy' },
  { set: 'composition', tasks: 'unseen composition', decoding: 'sampled' },
] as const;

export function headlines(result: RunResult): Headline[] {
  const end = promotedEvaluation(result);
  return HEADLINE_SETS.map(({ set, tasks, decoding }) => {
    const before = result.start.outcomes[set];
    const after = end.outcomes[set];
    const { gained, lost, net, p } = movesBetween(before, after);
    return {
      ...{ set, tasks, decoding, before: ratesOf(before), after: ratesOf(after), moves: { gained, lost, net, p } },
      solvedAtBothEnds: solvedAtBothEnds(before, after),
    };
  });
}

export function evaluationReports(result: RunResult): EvaluationReport[] {
  const later = result.generations.map(({ evaluation, promotion }) => reportOf(evaluation, promotion.promoted));
  return [reportOf(result.start, null), ...later];
}

/** The evaluation of the state that the run ends with. */
export function promotedEvaluation(result: RunResult): Evaluation {
  const found = result.generations.find(({ generation }) => generation === result.promotedGeneration);
  return found?.evaluation ?? result.start;
}

function reportOf(evaluation: Evaluation, promoted: boolean | null): EvaluationReport {
  const sets = Object.fromEntries(EVALUATION_SETS.map((set) => [set, setReport(evaluation, set)]));
  const { generation, policy } = evaluation;
  return { generation, promoted, policy: policy.weightsDigest, sets: sets as EvaluationReport['sets'] };
}

function setReport(evaluation: Evaluation, set: EvaluationSet): SetReport {
  const outcomes = evaluation.outcomes[set];
  return {
    rates: ratesOf(outcomes),
    byFamily: ratesBy(outcomes, ({ family }) => family),
    bySubGoals: ratesBy(outcomes, ({ subGoals }) => String(subGoals.length)),
    byPosition: subGoalRates(outcomes),
  };
}
