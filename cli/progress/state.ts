/**
 * Progress as a value: a pure reducer over the loop's events. Time left = sum over the planned steps not yet done of
 * amount x seconds per unit, where
 *   seconds per unit = seconds / amount measured at this pace so far in this run, or, before that,
 *                      weight x (all seconds measured / all weighted amounts measured)
 * minus what the step under way has already taken. Null until something was measured, never negative. Time between two
 * stored records belongs to the later one, so work that overlaps is counted once.
 */
import type { GroupRef } from '../../contracts/checkpoint.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import { paceOf, planRun, type PlannedStep } from './plan.ts';

export interface ProgressState {
  readonly config: RunConfig;
  readonly plan: readonly (PlannedStep & { readonly done: number })[];
  readonly measured: Readonly<Record<string, { readonly seconds: number; readonly amount: number }>>;
  /** Trajectories of each chunk of demonstrations: what imitating it amounts to. */
  readonly chunks: readonly number[];
  readonly generation: number;
  readonly stageIndex: number;
  readonly stage: string;
  /** The step of the last stored record. */
  readonly step: string;
  readonly work: Extract<ProgressEvent, { kind: 'work' }> | null;
  /** Of the last stored group of episodes. */
  readonly lastGroup: { readonly step: string; readonly strict: number | null; readonly partial: number | null } | null;
  readonly loss: number | null;
  readonly replayed: number;
  readonly stored: number;
  /** Seconds of former sessions. */
  readonly before: number;
  /** Second of this session at which a record was last stored. */
  readonly lastAt: number;
}

/** Two lanes of groups run beside each other: a replayed group's own seconds count half. */
const LANES = 2;

export function startProgress(config: RunConfig, before: number): ProgressState {
  return {
    config,
    plan: planRun(config).map((step) => ({ ...step, done: 0 })),
    measured: {},
    chunks: [],
    generation: 0,
    stageIndex: -1,
    stage: 'starting',
    step: '',
    work: null,
    lastGroup: null,
    loss: null,
    replayed: 0,
    stored: 0,
    before,
    lastAt: 0,
  };
}

/** `at`: seconds since this session began. */
export function progressState(state: ProgressState, event: ProgressEvent, at: number): ProgressState {
  switch (event.kind) {
    case 'stage': {
      const { generation, stageIndex, stage } = event;
      // Whatever came before it is over, even if it took less than planned.
      const plan = state.plan.map((step) =>
        comesBefore(step, generation, stageIndex) ? { ...step, done: step.amount } : step,
      );
      return { ...state, plan, generation, stageIndex, stage, work: null };
    }
    case 'work':
      return { ...state, work: event, loss: event.loss ?? state.loss };
    case 'stored':
      return stored(state, event, at);
    case 'note':
      return state;
  }
}

export function timeLeft(state: ProgressState, at: number): number | null {
  const open = state.plan.filter(({ amount, done }) => done < amount);
  const known = overallPace(state);
  if (open.length === 0) return 0;
  if (known === null) return null;
  const needs = open.map((step) => (step.amount - step.done) * secondsPerUnit(state, step, known));
  const sinceStored = Math.min(Math.max(0, at - state.lastAt), 0.9 * (needs[0] ?? 0));
  const left = needs.reduce((sum, seconds) => sum + seconds, 0) - sinceStored;
  const { minutes } = state.config.stop;
  const budget = minutes === null ? Infinity : minutes * 60 - state.before - at;
  return Math.max(0, Math.min(left, budget));
}

export function elapsed(state: ProgressState, at: number): number {
  return state.before + at;
}

function stored(state: ProgressState, event: Extract<ProgressEvent, { kind: 'stored' }>, at: number): ProgressState {
  const { place, content, seconds, replayed } = event;
  const group = isGroup(content) ? content.summary : null;
  const chunks =
    place.step === 'demonstrations' ? withChunk(state.chunks, place.iteration, group?.episodes ?? 0) : state.chunks;
  const pace = paceOf(place.step);
  const index = state.plan.findIndex(
    (step) => step.generation === place.generation && step.stageIndex === place.stageIndex && step.pace === pace,
  );
  const amount = index < 0 ? 0 : amountOf(state, event, index);
  const took = replayed
    ? place.step === 'demonstrations'
      ? 0
      : seconds / (group === null ? 1 : LANES)
    : Math.max(0, at - state.lastAt);
  const before = pace === null ? undefined : state.measured[pace];
  const measured =
    pace === null
      ? state.measured
      : {
          ...state.measured,
          [pace]: { seconds: (before?.seconds ?? 0) + took, amount: (before?.amount ?? 0) + amount },
        };
  const verified = group === null ? 0 : group.episodes - group.noVerdict;
  return {
    ...state,
    plan: state.plan.map((step, i) =>
      i === index ? { ...step, done: Math.min(step.amount, step.done + amount) } : step,
    ),
    measured,
    chunks,
    step: place.step,
    work: group === null ? null : state.work,
    lastGroup:
      group === null || place.step === 'demonstrations'
        ? state.lastGroup
        : {
            step: place.step,
            strict: verified === 0 ? null : group.strict / verified,
            partial: verified === 0 ? null : group.partialMean,
          },
    replayed: state.replayed + Number(replayed),
    stored: state.stored + Number(!replayed),
    lastAt: at,
  };
}

/** Units of the plan that a record stands for. */
function amountOf(state: ProgressState, event: Extract<ProgressEvent, { kind: 'stored' }>, index: number): number {
  const { place, content } = event;
  const { warmUpCritic, policyRefine } = state.config;
  if (place.step === 'demonstrations') return 0;
  if (isGroup(content)) return content.summary.episodes;
  if (place.step === 'imitation') return state.chunks[place.iteration] ?? 0;
  if (place.step === 'critic-update') return warmUpCritic.episodes * warmUpCritic.epochs;
  if (place.step === 'policy-update') return policyRefine.episodes * policyRefine.epochs;
  return state.plan[index]?.amount ?? 0;
}

function secondsPerUnit(state: ProgressState, step: PlannedStep, overall: number): number {
  const own = state.measured[step.pace];
  return own !== undefined && own.amount > 0 ? own.seconds / own.amount : step.weight * overall;
}

/** Seconds per unit of weight over everything measured; null before the first measure. */
function overallPace(state: ProgressState): number | null {
  const weights = new Map(state.plan.map(({ pace, weight }) => [pace, weight]));
  const all = Object.entries(state.measured);
  const units = all.reduce((sum, [pace, { amount }]) => sum + amount * (weights.get(pace) ?? 0), 0);
  return units === 0 ? null : all.reduce((sum, [, { seconds }]) => sum + seconds, 0) / units;
}

function withChunk(chunks: readonly number[], index: number, episodes: number): number[] {
  const next = [...chunks];
  next[index] = episodes;
  return next;
}

function comesBefore(step: PlannedStep, generation: number, stageIndex: number): boolean {
  return step.generation < generation || (step.generation === generation && step.stageIndex < stageIndex);
}

function isGroup(content: unknown): content is GroupRef {
  return typeof content === 'object' && content !== null && (content as { kind?: unknown }).kind === 'group';
}
