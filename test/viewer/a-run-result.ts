/** A small run result made by hand: two generations, or none; numbers chosen so that each shows where it belongs. */
import type { CheckpointRef, GroupRef } from '../../contracts/checkpoint.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import type { TaskState } from '../../rl/movement-table.ts';
import type { Evaluation, TaskOutcome } from '../../training/evaluate.ts';
import type { GenerationOutcome, RunResult } from '../../training/run-result.ts';
import type { ReportExtras } from '../../viewer/run-report.ts';

export function checkpoint(role: CheckpointRef['role'], name: string): CheckpointRef {
  return { kind: 'checkpoint', role, digest: `${name}-file`, weightsDigest: name };
}

export function outcomes(states: readonly (TaskState | null)[], family = 'notes'): TaskOutcome[] {
  return states.map((state, i) => ({
    taskId: `task ${i}`,
    family: i % 2 === 0 ? family : 'tidy',
    subGoals: i % 2 === 0 ? ['write'] : ['move', 'delete'],
    checks: state === null ? [] : i % 2 === 0 ? [Number(state === 'strict')] : [1, Number(state === 'strict')],
    state,
    progress: state === 'strict' ? 1 : state === 'partial' ? 0.5 : 0,
    turns: 3,
    actionTokens: 12,
    failedCommands: 1,
  }));
}

export function evaluation(generation: number, states: readonly (TaskState | null)[]): Evaluation {
  const all = outcomes(states);
  return {
    generation,
    policy: checkpoint('policy', `policy-${generation}`),
    outcomes: {
      selection: all,
      'held-out': all,
      'held-out-greedy': all,
      composition: [],
      'composition-greedy': [],
    },
    added: [],
  };
}

export function group(generation: number, stageIndex: number, step: string, iteration: number, strict = 1): GroupRef {
  return {
    kind: 'group',
    place: { generation, stageIndex, step, iteration, group: 0 },
    digest: `${step}-${generation}-${iteration}`,
    summary: {
      episodes: 4,
      noVerdict: 0,
      strict,
      partialMean: 0.6,
      turns: 12,
      actionTokens: 48,
      failedCommands: 2,
      cutTurns: 0,
      endedAtLimit: 1,
    },
  };
}

export function generationOutcome(
  generation: number,
  states: readonly (TaskState | null)[],
  promoted: boolean,
): GenerationOutcome {
  const policy = checkpoint('policy', `policy-${generation}`);
  const critic = checkpoint('critic', `critic-${generation}`);
  return {
    generation,
    admitted: null,
    stages: [
      {
        kind: 'self-rewrite',
        stageIndex: 0,
        result: {
          kind: 'rewrite-round',
          policy,
          gates: generation === 1 ? { accepted: 2, 'not-strict': 5, 'a <new> gate': 1 } : {},
          parents: 4,
          candidates: generation === 1 ? 8 : 0,
          accepted: { polish: generation === 1 ? 2 : 0, repair: 0 },
          turnDelta: generation === 1 ? -3 : 0,
          tokenDelta: generation === 1 ? -8 : 0,
          failedDelta: 0,
          lessons: 6,
          loss: generation === 1 ? 0.25 : null,
          rollouts: [group(generation, 0, 'rollout', 0)],
          rewrites: [],
        },
      },
      {
        kind: 'policy-refine',
        stageIndex: 1,
        handoff: {
          kind: 'handoff',
          critic,
          parent: checkpoint('critic', 'critic-0'),
          explainedVarianceBefore: 0.2,
          explainedVarianceAfter: 0.4,
          loss: 0.1,
          rollouts: [group(generation, 1, 'handoff-rollout', 0)],
          calibration: 'identity',
        },
        result: {
          policy,
          critic,
          klCoefficient: 0.02,
          rollouts: [group(generation, 1, 'rollout', 0, 2), group(generation, 1, 'rollout', 1, 3)],
          iterations: [0, 1].map((iteration) => ({
            policyLoss: iteration === 0 ? null : -0.05,
            valueLoss: 0.03,
            entropy: null,
            clipFraction: 0.01,
            updateKl: 0.001,
            gradientNorm: 0.5,
            episodes: 4,
            meanReward: 0.7,
            explainedVariance: iteration === 0 ? null : 0.5,
            kl: 0.01,
            importanceMean: 1,
            importanceTruncated: 0,
            skipped: iteration === 0 ? 'no-signal' : null,
            equalRewardShare: null,
          })),
          stop: null,
        },
      },
    ],
    evaluation: evaluation(generation, states),
    promotion: {
      promoted,
      reason: promoted ? 'not-worse' : 'rate-below-best',
      newBest: promoted,
      gained: 1,
      lost: 0,
      p: 1,
      candidateRate: 0.5,
      bestRate: 0.25,
    },
    calibration: {
      kind: 'calibration',
      maps: { notes: { kind: 'calibration', knots: [{ progress: 0.5, fitted: 0.8 }], episodes: 20, pseudoCount: 20 } },
      digest: 'map-digest',
      episodes: 20,
      errorOfRaw: 0.2,
      errorOfFormerMaps: null,
    },
    klToStart: null,
  };
}

/** 4 held-out tasks: none none partial strict -> strict none strict strict -> (rolled back) none none none none. */
export function aRunResult(generations: 0 | 1 | 2 = 2): RunResult {
  const all = [
    generationOutcome(1, ['strict', 'none', 'strict', 'strict'], true),
    generationOutcome(2, ['none', 'none', 'none', null], false),
  ];
  return {
    config: parseRunConfig({ seed: 7, generations: 2, stages: ['self-rewrite', 'policy-refine'] }),
    warmUp: {
      critic: checkpoint('critic', 'critic-0'),
      explainedVariance: null,
      gate: 'budget',
      iterations: 1,
      loss: 0.1,
      rollouts: [group(0, 0, 'rollout', 0, 0)],
    },
    start: evaluation(0, ['none', 'none', 'partial', 'strict']),
    generations: all.slice(0, generations),
    promotedGeneration: generations === 0 ? 0 : 1,
    end: { reason: 'generations', measured: generations, limit: generations },
    contentHead: 'c0ffee'.repeat(10),
  };
}

/** With generation 2 a family joined: 1 of 3 before, 2 of 3 after, one without a verdict. */
export function withAddedTasks(): RunResult {
  const base = aRunResult(2);
  const added = (states: readonly (TaskState | null)[]): TaskOutcome[] =>
    outcomes(states).map((outcome) => ({ ...outcome, family: 'report' }));
  const generations = base.generations.map((one) =>
    one.generation === 1
      ? one
      : {
          ...one,
          admitted: { families: ['report'], outcomes: added(['strict', 'none', 'partial', null]) },
          evaluation: { ...one.evaluation, added: added(['strict', 'strict', 'none', null]) },
        },
  );
  return { ...base, generations };
}

/** Nothing was ever measured: no tasks, no groups, no iterations. */
export function anEmptyResult(): RunResult {
  const base = aRunResult(1);
  const nothing = evaluation(0, []);
  const [one] = base.generations;
  if (one === undefined) throw new Error('a generation');
  return {
    ...base,
    warmUp: { ...base.warmUp, rollouts: [], loss: null },
    start: nothing,
    generations: [
      {
        ...one,
        stages: [],
        evaluation: { ...nothing, generation: 1 },
        promotion: { ...one.promotion, candidateRate: null, bestRate: null },
        calibration: { ...one.calibration, maps: {}, episodes: 0, errorOfRaw: null },
      },
    ],
  };
}

export function extras(records: readonly StoredRecord[] = []): ReportExtras {
  return {
    folder: '/tmp/<b>a run</b>',
    durable: null,
    configDigest: 'abc',
    backend: null,
    tokenizerDigest: 'def',
    sandbox: 'embedded bash',
    node: 'v20.20.2',
    platform: 'linux-x64',
    records,
  };
}

export function record(step: string, from: number, to: number, generation = 0): StoredRecord {
  const place = { generation, stageIndex: 0, step, iteration: 0, group: 0 };
  return { place, content: { kind: 'other' }, uses: [], blobs: [], seconds: to - from, elapsed: to };
}
