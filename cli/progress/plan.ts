/**
 * What a run is going to do, as a list of steps with amounts, so that the time left can be estimated. Amounts are
 * episodes (playing) or passes over trajectories (learning); `weight` is the cost of one, relative to imitating one
 * trajectory, measured on two cores: it only serves until the step's own pace is known (state.ts).
 */
import type { RunConfig } from '../../contracts/config/run-config.ts';

export interface PlannedStep {
  readonly generation: number;
  readonly stageIndex: number;
  /** Steps of one pace: `paceOf` of a stored step. */
  readonly pace: string;
  readonly amount: number;
  readonly weight: number;
}

/** Cost of one unit of each pace in imitated trajectories. */
const WEIGHTS: Readonly<Record<string, number>> = {
  imitation: 1,
  play: 1.4,
  rewrite: 2.3,
  evaluation: 1.3,
  'critic-fit': 0.6,
  'policy-update': 1.9,
  'fine-tune': 0.55,
};

/** Lessons of a rewriting round per candidate: accepted children, originals, replay. */
const LESSONS_PER_CANDIDATE = 0.5;
const DRIFT_EPISODES = 64;

const PACES: Readonly<Record<string, string>> = {
  demonstrations: 'imitation',
  imitation: 'imitation',
  rollout: 'play',
  probe: 'play',
  'handoff-probe': 'play',
  'handoff-rollout': 'play',
  rewrite: 'rewrite',
  'critic-update': 'critic-fit',
  handoff: 'critic-fit',
  'policy-update': 'policy-update',
  'fine-tune': 'fine-tune',
};

/** The pace a stored step belongs to; null for what takes next to no time. */
export function paceOf(step: string): string | null {
  if (step.startsWith('evaluate-') || step === 'drift-rollout') return 'evaluation';
  return PACES[step] ?? null;
}

export function planRun(config: RunConfig): PlannedStep[] {
  const { warmStart, warmUpCritic, stages, generations } = config;
  const probe = warmUpCritic.probeEpisodes;
  const warmUp = [
    step(0, -1, 'imitation', warmStart.demonstrations + warmStart.rewriteDemonstrations),
    step(0, 0, 'play', probe + warmUpCritic.iterations * warmUpCritic.episodes),
    step(0, 0, 'critic-fit', warmUpCritic.iterations * warmUpCritic.episodes * warmUpCritic.epochs),
    step(0, stages.length, 'evaluation', evaluationEpisodes(config)),
  ];
  const later = Array.from({ length: generations }, (_, i) => planGeneration(config, i + 1));
  return [...warmUp, ...later.flat()].filter(({ amount }) => amount > 0);
}

function planGeneration(config: RunConfig, generation: number): PlannedStep[] {
  const { stages, selfRewrite, policyRefine, handoff } = config;
  const candidates = selfRewrite.maxParents * selfRewrite.rewritesPerParent;
  const lessons = candidates * LESSONS_PER_CANDIDATE * selfRewrite.epochs;
  const refined = policyRefine.iterations * policyRefine.episodes;
  const inStages = stages.flatMap((kind, stageIndex) =>
    kind === 'self-rewrite'
      ? [
          step(generation, stageIndex, 'play', selfRewrite.episodes),
          step(generation, stageIndex, 'rewrite', candidates),
          step(generation, stageIndex, 'fine-tune', lessons),
        ]
      : [
          step(generation, stageIndex, 'play', handoff.probeEpisodes + handoff.episodes + refined),
          step(generation, stageIndex, 'critic-fit', handoff.episodes * handoff.epochs),
          step(generation, stageIndex, 'policy-update', refined * policyRefine.epochs),
        ],
  );
  return [...inStages, step(generation, stages.length, 'evaluation', evaluationEpisodes(config) + DRIFT_EPISODES)];
}

/** Selection once, the reported sets sampled and greedy. */
function evaluationEpisodes({ tasks }: RunConfig): number {
  return tasks.selection + 2 * tasks.heldOut + 2 * tasks.heldOutComposition;
}

function step(generation: number, stageIndex: number, pace: string, amount: number): PlannedStep {
  return { generation, stageIndex, pace, amount, weight: WEIGHTS[pace] ?? 1 };
}
