/** Candidates of a rewrite round as the acceptance gates read them (rl/gates.ts), and their decisions. */
import { plainPrompt } from '../agent/transcript.ts';
import type { RewriteMode, Trajectory } from '../contracts/trajectory.ts';
import { acceptRewrites } from '../rl/gates.ts';
import type { MeasuredEpisode, RewriteCandidate, Verdict } from '../rl/gates/candidate.ts';
import type { LoopContext } from './context.ts';
import type { ParentPool } from './parent-pool.ts';
import type { RewriteDecision } from './rewrite-decisions.ts';
import { actionTokensOf, failedCommandsOf, taskOf } from './groups.ts';

export function judgeRewrites(
  context: LoopContext,
  parents: readonly Trajectory[],
  children: readonly Trajectory[],
  known: Pick<ParentPool, 'accepted' | 'ancestry'>,
  families: readonly string[],
): RewriteDecision[] {
  const { config } = context;
  const indexOf = new Map(parents.map((parent, i) => [parent.id, i]));
  const candidates = children.map((child): RewriteCandidate => {
    const parentIndex = indexOf.get(child.parentId ?? '') ?? -1;
    const parent = parents[parentIndex] as Trajectory;
    const task = taskOf(context, parent);
    return {
      taskId: child.taskId,
      family: child.family,
      flaky: false,
      turnLimit: child.turnLimit,
      mode: child.mode as RewriteMode,
      parentIndex,
      sample: child.sample,
      plainPrompt: context.tokenizer.decode(plainPrompt(context.tokenizer, task)),
      workingDirectory: task.workdir,
      parent: { ...measure(parent), verdict: verdictWord(parent) },
      ancestors: known.ancestry.get(parent.id) ?? [],
      child: { ...measure(child), verdicts: [verdictWord(child)] },
    };
  });
  const liveInReplay: Record<string, number> = {};
  for (const { taskId } of known.accepted) liveInReplay[taskId] = (liveInReplay[taskId] ?? 0) + 1;
  const decisions = acceptRewrites(candidates, {
    families: families.length,
    liveCap: config.selfRewrite.replayPerTask,
    liveInReplay,
  });
  const byId = new Map(children.map((child) => [child.id, child]));
  return decisions.map((decision) => {
    const child = byId.get(decision.childId) as Trajectory;
    const parent = parents[indexOf.get(child.parentId ?? '') ?? -1] as Trajectory;
    return {
      ...decision,
      parentId: child.parentId as string,
      taskId: child.taskId,
      mode: child.mode as RewriteMode,
      policy: child.policy,
      seed: child.seed,
      ancestry: [commandsOf(parent), ...(known.ancestry.get(parent.id) ?? [])],
    };
  });
}

function measure(trajectory: Trajectory): MeasuredEpisode {
  const commandTurns = trajectory.turns.filter(({ command }) => command !== 'done');
  return {
    id: trajectory.id,
    commands: commandTurns.map(({ command }) => command),
    observations: commandTurns.map(({ observation }) => observation),
    turns: trajectory.turns.length,
    actionTokens: actionTokensOf(trajectory),
    failedCommands: failedCommandsOf(trajectory),
    digests: { task: trajectory.taskId, tests: trajectory.verifierDigest, image: null },
  };
}

function commandsOf(trajectory: Trajectory): string[] {
  return measure(trajectory).commands.slice();
}

function verdictWord({ verdict }: Trajectory): Verdict {
  return verdict === null ? null : verdict.strict ? 'strict' : 'partial';
}
