/**
 * Stage `self-rewrite` (RSR): the policy samples plain episodes, rewrites verified trajectories (its own, accepted
 * children, demonstrations) with the parent in view, every rewrite is executed in a clean sandbox, the gates keep the
 * better ones, and the policy is fine-tuned on those. Gates: rl/gates.ts; training set: rewrite-lessons.ts.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { openLearner } from '../model/learner.ts';
import { randomStream } from '../rl/random-stream.ts';
import { trainedFamilies } from './added-tasks.ts';
import { once, use, type LoopContext } from './context.ts';
import { fineTune } from './fine-tune.ts';
import { loadGroups, rollOut } from './groups.ts';
import { keepLearner } from './keep-learner.ts';
import { dealMinibatches } from './minibatches.ts';
import { rollOutTrainTasks } from './plain-rollouts.ts';
import { judgeRewrites } from './judge-rewrites.ts';
import { rewriteLessons } from './rewrite-lessons.ts';
import { parentPoolBefore } from './parent-pool.ts';
import { loadDecisions, storeDecisions, type RewriteDecision } from './rewrite-decisions.ts';
import { chooseParents, rewriteRequests } from './rewrite-parents.ts';

export interface RewriteRound {
  readonly kind: 'rewrite-round';
  readonly policy: CheckpointRef;
  readonly gates: GateCounts;
  readonly parents: number;
  readonly candidates: number;
  readonly accepted: { readonly polish: number; readonly repair: number };
  /** Sums over accepted polish children, child - parent. */
  readonly turnDelta: number;
  readonly tokenDelta: number;
  readonly failedDelta: number;
  readonly lessons: number;
  readonly loss: number | null;
}

/** Candidates by the gate that stopped them; `accepted` counts the others. */
export type GateCounts = Readonly<Record<string, number>>;

export interface SelfRewritten extends RewriteRound {
  readonly rollouts: readonly GroupRef[];
  readonly rewrites: readonly GroupRef[];
}

export async function selfRewrite(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex'>,
  start: { readonly policy: CheckpointRef; readonly base: CheckpointRef },
): Promise<SelfRewritten> {
  const { selfRewrite: settings } = context.config;
  const at = (step: string): Place => ({ ...place, step, iteration: 0, group: 0 });
  const rollouts = await rollOutTrainTasks(context, at('rollout'), start.policy, settings.episodes);
  const known = await parentPoolBefore(context, place, settings.maxParents);
  const fresh = await loadGroups(context, rollouts);
  const parents = chooseParents(context, fresh.toReversed(), known.earlier);
  const rewrites = await rollOut(context, at('rewrite'), rewriteRequests(context, at('rewrite'), parents), {
    parameters: await context.weights.load(start.policy),
    policy: start.policy,
    temperature: context.config.rollout.temperature,
  });
  const children = await loadGroups(context, rewrites);
  const families = trainedFamilies(context.config, await context.store.list(), place.generation);
  const decided = await storeDecisions(context, at('gates'), rewrites, () =>
    judgeRewrites(context, parents, children, known, families),
  );
  const kept = new Set(decided.acceptedIds);
  const accepted = children.filter(({ id }) => kept.has(id));
  const round = await once<RewriteRound>(context, at('fine-tune'), async () => {
    const base = settings.fromBase ? start.base : start.policy;
    const lessons = rewriteLessons(context, at('fine-tune'), { accepted, fresh, replay: known.accepted });
    const trained = await tune(context, at('fine-tune'), base, lessons);
    const decisions = await loadDecisions(context, decided);
    return {
      content: { kind: 'rewrite-round', ...summarise(parents, decisions), lessons: lessons.length, ...trained },
      blobs: [trained.policy.digest],
      uses: [
        use('parent', base),
        ...rewrites.map((group) => use('accepted', group)),
        ...rollouts.map((group) => use('originals', group)),
        ...known.rewriteGroups.map((group) => use('replay', group)),
      ],
    };
  });
  return { ...round, rollouts, rewrites };
}

async function tune(
  context: LoopContext,
  place: Place,
  start: CheckpointRef,
  lessons: readonly Pick<Trajectory, 'tokenIds' | 'actionMask'>[],
): Promise<{ policy: CheckpointRef; loss: number | null }> {
  if (lessons.length === 0) return { policy: start, loss: null };
  const { config, model, weights, tokenizer } = context;
  const { batch, epochs, learningRate } = config.selfRewrite;
  const learner = openLearner('policy', model, await weights.load(start), config.optimizer, tokenizer.vocabSize);
  const stream = randomStream(seedOf({ runSeed: config.seed, ...place, purpose: 'order fine-tune', groupIndex: 0 }));
  const batches = Array.from({ length: epochs }, () => dealMinibatches(lessons, batch, stream)).flat();
  const loss = await fineTune(context, learner, batches, { kind: 'constant', base: learningRate, warmupSteps: 0 });
  return { policy: await keepLearner(context, learner, false), loss };
}

function summarise(parents: readonly Trajectory[], decisions: readonly RewriteDecision[]) {
  const gates: Record<string, number> = {};
  for (const { gate } of decisions) gates[gate ?? 'accepted'] = (gates[gate ?? 'accepted'] ?? 0) + 1;
  const kept = decisions.filter(({ accepted }) => accepted);
  const polished = kept.filter(({ mode }) => mode === 'polish');
  const total = (measure: (decision: RewriteDecision) => number): number =>
    polished.reduce((sum, decision) => sum + measure(decision), 0);
  return {
    gates,
    parents: parents.length,
    candidates: decisions.length,
    accepted: { polish: polished.length, repair: kept.length - polished.length },
    turnDelta: total(({ measures }) => measures.turnDelta),
    tokenDelta: total(({ measures }) => measures.tokenDelta),
    failedDelta: total(({ measures }) => measures.failedDelta),
  };
}
