/**
 * What a configuration must satisfy beyond its single keys, checked before anything is opened: names that exist, a
 * reward under which every success outranks every failure, a model that can be built.
 */
import { unknownName } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { assertModelConfig } from '../model/model-config.ts';
import { rewardOrderingProblem } from '../rl/success-prioritized-reward.ts';
import { FAMILIES, familyNamed, HELD_OUT_FAMILIES, TRAINED_FAMILIES } from '../tasks/builtin/families.ts';
import { weightsProblem } from '../tasks/builtin/family.ts';
import { trainSubGoalWeights } from './task-sets.ts';

/** Throws the first problem as one line that names the key. */
export function checkRun(config: RunConfig): void {
  checkFamilies(config);
  checkReward(config);
  const { batch } = config.rollout;
  if (batch % 8 !== 0) refuse('rollout.batch', `is ${batch}; allowed: a multiple of 8`);
  assertModelConfig({ ...config.model, vocabSize: 8, normEps: 1e-5, context: config.tasks.context });
}

function checkFamilies({ tasks }: RunConfig): void {
  for (const [i, name] of tasks.families.entries()) {
    if (!FAMILIES.has(name))
      refuse('tasks.families', `holds an unknown name: ${unknownName('family', name, TRAINED_FAMILIES)}`);
    if (HELD_OUT_FAMILIES.includes(name)) {
      refuse('tasks.families', `holds '${name}', which exists only held out; allowed: ${TRAINED_FAMILIES.join(', ')}`);
    }
    if (tasks.families.indexOf(name) !== i) refuse('tasks.families', `holds '${name}' twice`);
  }
  const known = [...FAMILIES.keys()];
  if (!FAMILIES.has(tasks.composition)) {
    refuse('tasks.composition', `is unknown: ${unknownName('family', tasks.composition, known)}`);
  }
  if (tasks.families.includes(tasks.composition)) {
    refuse(
      'tasks.composition',
      `is '${tasks.composition}', which is also trained on; allowed: ${HELD_OUT_FAMILIES.join(', ')}`,
    );
  }
  const composition = tasks.heldOutComposition > 0 ? [tasks.composition] : [];
  checkWeights('subGoalWeights', tasks.subGoalWeights, [...tasks.families, ...composition]);
  checkWeights('trainSubGoalWeights', trainSubGoalWeights({ tasks }), tasks.families);
}

function checkWeights(key: string, weights: readonly number[], families: readonly string[]): void {
  for (const name of families) {
    const problem = weightsProblem(familyNamed(name), weights);
    if (problem !== null) refuse(`tasks.${key}`, `is ${JSON.stringify(weights)}; ${problem}`);
  }
}

function checkReward({ reward, policyRefine, tasks }: RunConfig): void {
  if (reward.allowPartialAboveSuccess) return;
  if (!reward.successPrioritized) {
    refuse(
      'reward.successPrioritized',
      'is false, so a failure may earn more than a success; reward.allowPartialAboveSuccess=true allows it',
    );
  }
  const { turnCost, partialScale, limitPenalty } = reward;
  // `token` discounts per token: its first token lies that much further from the end.
  const steps = policyRefine.estimator === 'token' ? tasks.turns * tasks.tokensPerTurn : tasks.turns;
  const problem = rewardOrderingProblem({
    turnCost,
    partialScale,
    limitPenalty,
    turnLimit: steps,
    gamma: policyRefine.gamma,
  });
  if (problem !== null) {
    throw new Failure('config', `${problem}; reward.allowPartialAboveSuccess=true waives it`, { subject: 'reward' });
  }
}

function refuse(key: string, problem: string): never {
  throw new Failure('config', `configuration key '${key}' ${problem}`, { subject: key });
}
