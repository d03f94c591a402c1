/** Plain rollouts on train tasks in the order they were made: the warm-up's, then stage by stage, iteration by iteration. */
import type { GroupRef } from '../../contracts/checkpoint.ts';
import { wilsonInterval, type Interval } from '../../rl/wilson.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface TrainingReport {
  readonly generation: number;
  readonly stageIndex: number;
  readonly stage: 'warm-up-critic' | 'self-rewrite' | 'policy-refine';
  /** 'handoff' rollouts re-calibrate the critic before the stage's first iteration. */
  readonly step: string;
  readonly iteration: number;
  /** Episodes with a verdict. */
  readonly n: number;
  readonly noVerdict: number;
  readonly strict: number;
  readonly interval: Interval | null;
  readonly partialMean: number | null;
  readonly turns: number | null;
  readonly tokensPerTurn: number | null;
  readonly failedCommands: number | null;
  /** Share of turns that used up their tokens. */
  readonly cutTurns: number | null;
  /** Share of episodes that ended at a limit, without `done`. */
  readonly endedAtLimit: number | null;
}

export function trainingReports(result: RunResult): TrainingReport[] {
  const reports = points('warm-up-critic', result.warmUp.rollouts);
  for (const { stages } of result.generations) {
    for (const stage of stages) {
      if (stage.kind === 'policy-refine') reports.push(...points(stage.kind, stage.handoff.rollouts));
      reports.push(...points(stage.kind, stage.result.rollouts));
    }
  }
  return reports;
}

/** One point per (step, iteration): the groups of a batch belong together. */
function points(stage: TrainingReport['stage'], groups: readonly GroupRef[]): TrainingReport[] {
  const batches = new Map<string, GroupRef[]>();
  for (const group of groups) {
    const { generation, stageIndex, step, iteration } = group.place;
    const key = `${generation}/${stageIndex}/${step}/${iteration}`;
    batches.set(key, [...(batches.get(key) ?? []), group]);
  }
  return [...batches.values()].map((batch) => pointOf(stage, batch));
}

function pointOf(stage: TrainingReport['stage'], batch: readonly GroupRef[]): TrainingReport {
  const { generation, stageIndex, step, iteration } = (batch[0] as GroupRef).place;
  const total = (measure: (summary: GroupRef['summary']) => number): number =>
    batch.reduce((sum, { summary }) => sum + measure(summary), 0);
  const noVerdict = total((summary) => summary.noVerdict);
  const n = total((summary) => summary.episodes) - noVerdict;
  const turns = total((summary) => summary.turns);
  const strict = total((summary) => summary.strict);
  const per = (amount: number, of: number): number | null => (of === 0 ? null : amount / of);
  return {
    generation,
    stageIndex,
    stage,
    step,
    iteration,
    n,
    noVerdict,
    strict,
    interval: wilsonInterval(strict, n),
    partialMean: per(
      total((summary) => summary.partialMean * (summary.episodes - summary.noVerdict)),
      n,
    ),
    turns: per(turns, n),
    tokensPerTurn: per(
      total((summary) => summary.actionTokens),
      turns,
    ),
    failedCommands: per(
      total((summary) => summary.failedCommands),
      n,
    ),
    cutTurns: per(
      total((summary) => summary.cutTurns),
      turns,
    ),
    endedAtLimit: per(
      total((summary) => summary.endedAtLimit),
      n,
    ),
  };
}
