/** Requests for plain episodes on train tasks, as a rollout makes them. */
import { plainPrompt } from '../../agent/transcript.ts';
import { seedOf } from '../../contracts/seeds.ts';
import type { LoopContext } from '../../training/context.ts';
import type { EpisodeRequest } from '../../training/episode.ts';
import { trainTasks } from '../../training/task-sets.ts';

export async function requestsOf(context: LoopContext, count: number): Promise<EpisodeRequest[]> {
  const tasks = await trainTasks(context, { generation: 7, stageIndex: 0, step: 'rollout', iteration: 0 }, count);
  return tasks.map((task) => ({
    ...{ task, purpose: 'rollout' as const, promptIds: plainPrompt(context.tokenizer, task), sample: 0 },
    ...{ parentId: null, mode: null },
    seed: seedOf({ runSeed: 0, generation: 7, stageIndex: 0, purpose: 'rollout', groupIndex: 0, taskId: task.id }),
  }));
}
