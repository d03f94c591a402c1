/**
 * Stage `self-rewrite` (RSR): the policy samples plain episodes, rewrites verified trajectories (its own, accepted
 * children, demonstrations) with the parent in view, every rewrite is executed in a clean sandbox, the gates keep the
 * better ones, and the policy is fine-tuned on those. Gates: rl/gates.ts; training set: rewrite-lessons.ts.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import type { Digest } from '../contracts/digest.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { openLearner } from '../model/learner.ts';
import { randomStream } from '../rl/random-stream.ts';
import { once, use, type LoopContext } from './context.ts';
import { fineTune } from './fine-tune.ts';
import { loadGroups, rollOut } from './groups.ts';
import { keepLearner } from './keep-learner.ts';
import { dealMinibatches } from './minibatches.ts';
import { rollOutTrainTasks } from './plain-rollouts.ts';
import { judgeRewrites, type RewriteDecision } from './judge-rewrites.ts';
import { rewriteLessons } from './rewrite-lessons.ts';
import { chooseParents, rewriteRequests, type ParentPool } from './rewrite-parents.ts';

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

interface StoredDecisions {
  readonly kind: 'rewrite-decisions';
  /** Stored list of RewriteDecision, one per candidate, accepted or not. */
  readonly decisions: Digest;
  readonly acceptedIds: readonly string[];
}

export async function selfRewrite(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex'>,
  start: { readonly policy: CheckpointRef; readonly base: CheckpointRef },
  pool: ParentPool,
): Promise<SelfRewritten> {
  const { selfRewrite: settings, tasks } = context.config;
  const at = (step: string): Place => ({ ...place, step, iteration: 0, group: 0 });
  const rollouts = await rollOutTrainTasks(context, at('rollout'), start.policy, settings.episodes);
  const known = await pool.load();
  const fresh = await loadGroups(context, rollouts);
  const parents = chooseParents([...fresh.toReversed(), ...known.parents], settings, context, tasks.context);
  const rewrites = await rollOut(context, at('rewrite'), rewriteRequests(context, at('rewrite'), parents), {
    parameters: await context.weights.load(start.policy),
    policy: start.policy,
    temperature: context.config.rollout.temperature,
  });
  const children = await loadGroups(context, rewrites);
  const decided = await storeDecisions(context, at('gates'), rewrites, () =>
    judgeRewrites(context, parents, children, known),
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
        ...pool.rewriteGroups().map((group) => use('replay', group)),
      ],
    };
  });
  pool.add({ rollouts, rewrites, accepted, parents });
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
  const stream = randomStream(seedOf({ runSeed: config.seed, ...place, purpose: 'order', groupIndex: 0 }));
  const batches = Array.from({ length: epochs }, () => dealMinibatches(lessons, batch, stream)).flat();
  const loss = await fineTune(context, learner, batches, { kind: 'constant', base: learningRate, warmupSteps: 0 });
  return { policy: await keepLearner(context, learner, false), loss };
}

/** Judges once; every candidate's gate and measured values are kept, whether accepted or not. */
function storeDecisions(
  context: LoopContext,
  place: Place,
  candidates: readonly GroupRef[],
  judge: () => readonly RewriteDecision[],
): Promise<StoredDecisions> {
  return once<StoredDecisions>(context, place, async () => {
    const judged = judge();
    const decisions = await context.store.putBlob(new TextEncoder().encode(JSON.stringify(judged)));
    const acceptedIds = judged.flatMap(({ accepted, childId }) => (accepted ? [childId] : []));
    return {
      content: { kind: 'rewrite-decisions', decisions, acceptedIds },
      blobs: [decisions],
      uses: candidates.map((group) => use('candidates', group)),
    };
  });
}

async function loadDecisions(context: LoopContext, stored: StoredDecisions): Promise<RewriteDecision[]> {
  return JSON.parse(new TextDecoder().decode(await context.store.getBlob(stored.decisions))) as RewriteDecision[];
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
