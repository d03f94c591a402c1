/** KL of the current policy to policy_0, on plain rollouts of the current policy from fixed train prompts. */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import { plainPrompt } from '../agent/transcript.ts';
import { seedOf } from '../contracts/seeds.ts';
import { scorePolicy } from '../model/score.ts';
import { klPenalty } from '../rl/kl.ts';
import { joined } from './advantages.ts';
import { once, use, type LoopContext } from './context.ts';
import { loadGroups, rollOut } from './groups.ts';
import { trainTasks } from './task-sets.ts';

const PROMPTS = 64;

export interface Drift {
  readonly kind: 'drift';
  /** Mean k3, nats per token. */
  readonly kl: number | null;
}

export function measureDrift(
  context: LoopContext,
  generation: number,
  policy: CheckpointRef,
  start: CheckpointRef,
): Promise<Drift> {
  const { config, model, weights, tokenizer } = context;
  const at = (step: string) => ({ generation, stageIndex: config.stages.length, step, iteration: 0, group: 0 });
  return once<Drift>(context, at('drift'), async () => {
    // The same prompts and seeds in every generation.
    const tasks = await trainTasks(context, { generation: 0, stageIndex: 0, step: 'drift', iteration: 0 }, PROMPTS);
    const requests = tasks.map((task) => ({
      task,
      purpose: 'probe' as const,
      promptIds: plainPrompt(tokenizer, task),
      seed: seedOf({
        runSeed: config.seed,
        generation: null,
        stageIndex: null,
        purpose: 'drift',
        groupIndex: 0,
        taskId: task.id,
      }),
      sample: 0,
      parentId: null,
      mode: null,
    }));
    const parameters = await weights.load(policy);
    const player = { parameters, policy, temperature: config.rollout.temperature };
    const groups = await rollOut(context, at('drift-rollout'), requests, player);
    const played = (await loadGroups(context, groups)).filter(({ verdict }) => verdict !== null);
    const score = async (ref: CheckpointRef) =>
      joined(
        scorePolicy(await weights.load(ref), model, played, config.rollout.temperature, tokenizer.vocabSize).map(
          ({ logProbs }) => logProbs,
        ),
      );
    return {
      content: { kind: 'drift', kl: klPenalty(await score(policy), await score(start)).mean },
      uses: [use('policy', policy), use('reference', start), ...groups.map((group) => use('rollouts', group))],
    };
  });
}
