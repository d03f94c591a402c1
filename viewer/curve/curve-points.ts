/** What one run measured, placed on the axis of stages: batches of rollouts, the critic, evaluations. */
import { strictShare } from '../../training/rates.ts';
import { decimal, intervalText, percent } from '../format.ts';
import type { Point } from '../plot/marks.ts';
import type { CriticReport } from '../report/refinements.ts';
import type { TrainingReport } from '../report/training-rollouts.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import type { Slot } from './stage-axis.ts';

export type CurveSource = Pick<RunReport, 'run' | 'config' | 'training' | 'critic' | 'evaluations'>;

export interface CurvePoints {
  readonly strict: readonly Point[];
  readonly partial: readonly Point[];
  readonly tokensPerTurn: readonly Point[];
  /** With a gap between two stages: their critics are not of the same policy. */
  readonly explainedVariance: readonly Point[];
  /** Of a critic as it was handed over. */
  readonly beforeHandoff: readonly Point[];
  /** Held-out tasks, sampled: at the temperature of training, unlike the greedy headline. */
  readonly heldOut: {
    readonly strict: readonly Point[];
    readonly partial: readonly Point[];
    readonly tokensPerTurn: readonly Point[];
  };
}

/** Batches that the stage of a slot plays, in their order. */
export function batchesOf<T extends TrainingReport>(training: readonly T[], slot: Slot): T[] {
  return training.filter(
    ({ generation, stageIndex, stage }) =>
      generation === slot.generation && stageIndex === slot.stageIndex && stage === slot.kind,
  );
}

/** `room`: batches to leave room for in each slot, so that runs of several lengths share their positions. */
export function curvePoints(source: CurveSource, slots: readonly Slot[], room: readonly number[]): CurvePoints {
  const { training, critic } = source;
  const batches = slots.flatMap((slot, s) =>
    batchesOf(training, slot).map((batch, i) => ({ batch, x: within(slot, i, room[s] ?? 1) })),
  );
  const along = (name: string, measure: (batch: TrainingReport) => number | null, text: Written): Point[] =>
    batches.map(({ batch, x }) => {
      const y = measure(batch);
      return { x, y, title: `${tag(source)}${name}, ${batchName(batch)}: ${text(y)}` };
    });
  const measured = slots.flatMap((slot, s) => criticOf(critic, slot).map((one) => ({ one, slot, s })));
  const criticPoint = ({ one, slot, s }: (typeof measured)[number]): Point => ({
    // The iterations' batches follow the one that the handoff plays.
    x: within(slot, one.when === 'iteration' ? one.iteration + 1 : 0, one.when === 'warm-up' ? 1 : (room[s] ?? 1)),
    y: one.explainedVariance,
    title: `${tag(source)}explained variance, ${generationName(slot.generation)}, ${slot.name}, ${WHEN[one.when](one)}: ${decimal(one.explainedVariance, 3)}`,
  });
  return {
    strict: along('strict', strictOf, percent),
    partial: along('partial mean', ({ partialMean }) => partialMean, percent),
    tokensPerTurn: along('tokens per turn', ({ tokensPerTurn }) => tokensPerTurn, decimal),
    explainedVariance: measured
      .filter(({ one }) => one.when !== 'handoff-before')
      .flatMap((each, i, all) => {
        const point = criticPoint(each);
        return i > 0 && all[i - 1]?.slot !== each.slot ? [{ x: point.x, y: null }, point] : [point];
      }),
    beforeHandoff: measured.filter(({ one }) => one.when === 'handoff-before').map(criticPoint),
    heldOut: heldOutPoints(source, slots),
  };
}

type Written = (value: number | null) => string;

const WHEN: Readonly<Record<CriticReport['when'], (one: CriticReport) => string>> = {
  'warm-up': () => 'on its probe set',
  'handoff-before': () => 'before re-calibration',
  'handoff-after': () => 'after re-calibration',
  iteration: ({ iteration }) => `iteration ${iteration + 1}`,
};

function heldOutPoints(source: CurveSource, slots: readonly Slot[]): CurvePoints['heldOut'] {
  const placed = source.evaluations.flatMap(({ generation, sets }) => {
    const slot = slots.find((one) => one.kind === 'evaluation' && one.generation === generation);
    return slot === undefined ? [] : [{ generation, rates: sets['held-out'].rates, x: within(slot, 0, 1) }];
  });
  const name = (what: string, generation: number): string =>
    `${tag(source)}${what}, held-out tasks, sampled, ${generationName(generation)}`;
  return {
    strict: placed.map(({ generation, rates, x }) => ({
      ...{ x, y: strictShare(rates), low: rates.interval?.low ?? null, high: rates.interval?.high ?? null },
      title: `${name('strict', generation)}: ${rates.strict}/${rates.n}, ${percent(strictShare(rates))} [${intervalText(rates.interval)}]`,
    })),
    partial: placed.map(({ generation, rates, x }) => ({
      ...{ x, y: rates.partialMean },
      title: `${name('partial mean', generation)}: ${percent(rates.partialMean)}`,
    })),
    tokensPerTurn: placed.map(({ generation, rates: { turns, actionTokens }, x }) => {
      const y = turns === null || actionTokens === null || turns === 0 ? null : actionTokens / turns;
      return { x, y, title: `${name('tokens per turn', generation)}: ${decimal(y)}` };
    }),
  };
}

function criticOf(critic: readonly CriticReport[], slot: Slot): CriticReport[] {
  if (slot.kind === 'warm-up-critic') return critic.filter(({ when }) => when === 'warm-up');
  if (slot.kind !== 'policy-refine') return [];
  return critic.filter(
    ({ when, generation, stageIndex }) =>
      when !== 'warm-up' && generation === slot.generation && stageIndex === slot.stageIndex,
  );
}

function strictOf({ n, strict }: TrainingReport): number | null {
  return n === 0 ? null : strict / n;
}

function batchName({ generation, stage, step, iteration }: TrainingReport): string {
  const batch = step === 'handoff-rollout' ? 'handoff' : `batch ${iteration + 1}`;
  return `${generationName(generation)}, ${stage}, ${batch}`;
}

function within({ from, to }: Slot, index: number, count: number): number {
  return from + ((index + 0.5) / Math.max(count, index + 1)) * (to - from);
}

function tag({ run }: CurveSource): string {
  return `seed ${run.seed}: `;
}
