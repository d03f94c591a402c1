/**
 * Demonstrations: what a deliberately sloppy scripted agent does on train tasks, and small scripted rewrites of it,
 * all executed in real sandboxes and stored as trajectories like any other (they may become parents of rewrites).
 */
import { observationOf } from '../agent/observation.ts';
import { rewritePrompt, scriptedTranscript } from '../agent/transcript.ts';
import type { GroupRef } from '../contracts/checkpoint.ts';
import type { Place } from '../contracts/run-store.ts';
import type { ScriptedEpisode } from '../contracts/sandbox.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Task } from '../contracts/task.ts';
import type { Trajectory, Turn } from '../contracts/trajectory.ts';
import { rewriteDemonstration } from '../tasks/builtin/agents/rewrite-demonstration.ts';
import type { LoopContext } from './context.ts';
import { named, storeGroup, taskFields, verdictOf } from './groups.ts';
import { trainTasks } from './task-sets.ts';

export interface DemonstrationCounts {
  readonly episodes: number;
  /** Rewrites of the first of them that leave something to improve. */
  readonly rewrites: number;
}

export function demonstrate(context: LoopContext, place: Place, counts: DemonstrationCounts): Promise<GroupRef> {
  return storeGroup(context, place, [], async () => {
    const tasks = await trainTasks(context, place, counts.episodes);
    const seeds = tasks.map((task) =>
      seedOf({
        runSeed: context.config.seed,
        ...place,
        purpose: 'demonstration',
        groupIndex: place.iteration,
        taskId: task.id,
      }),
    );
    const began = performance.now();
    const episodes = await context.terminals.play('sloppy', tasks, seeds);
    const played = tasks.map((task, i) => {
      const episode = episodes[i] as ScriptedEpisode;
      return { task, episode, demonstration: toTrajectory(context, task, episode, seeds[i] as number, null) };
    });
    const rewrites = played
      .flatMap(({ task, episode, demonstration }) => {
        const commands = rewriteDemonstration(task, episode.turns, demonstration.seed);
        return commands === null ? [] : [{ task, parent: demonstration, commands }];
      })
      .slice(0, counts.rewrites);
    const replayed = await context.terminals.replay(
      rewrites.map(({ task }) => task),
      rewrites.map(({ commands }) => commands),
    );
    const seconds = (performance.now() - began) / 1000;
    const children = rewrites.map(({ task, parent }, i) =>
      toTrajectory(
        context,
        task,
        replayed[i] as ScriptedEpisode,
        // The seed that drew the rewrite's commands from the parent's.
        parent.seed,
        parent,
      ),
    );
    return {
      tasks,
      trajectories: [...played.map(({ demonstration }) => demonstration), ...children],
      played: { seconds, sandbox: context.terminals.takeBusySeconds() },
    };
  });
}

function toTrajectory(
  context: LoopContext,
  task: Task,
  episode: ScriptedEpisode,
  seed: number,
  parent: Trajectory | null,
): Trajectory {
  const { tokenizer } = context;
  const promptIds = parent === null ? null : rewritePrompt(tokenizer, task, parent, parent.verdict?.checks ?? []);
  const fields = taskFields(task);
  const shown = episode.turns.map(({ command, result }): Turn => ({
    command,
    observation: observationOf(result),
    exitCode: result.exitCode,
    checks: result.checks,
  }));
  const checks = shown.at(-1)?.checks ?? episode.initialChecks;
  return named({
    kind: 'trajectory',
    purpose: 'demonstration',
    ...fields,
    policy: null,
    seed,
    sample: 0,
    temperature: 0,
    parentId: parent?.id ?? null,
    mode: parent === null ? null : parent.verdict?.strict === true ? 'polish' : 'repair',
    ...scriptedTranscript(tokenizer, task, episode, promptIds === null ? {} : { promptIds }),
    initialChecks: episode.initialChecks,
    turns: episode.done ? [...shown, { command: 'done', observation: '', exitCode: 0, checks }] : shown,
    endedBy: episode.done ? 'done' : 'turn-limit',
    verdict: verdictOf(fields.checkWeights, checks, episode.done),
    failure: null,
  });
}
