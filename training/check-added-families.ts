/** Whether families may be brought into a running run, by name and number of tasks; that they can be played is asked apart. */
import { unknownName } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { FAMILIES, familyNamed, HELD_OUT_FAMILIES, TRAINED_FAMILIES } from '../tasks/builtin/families.ts';
import { weightsProblem } from '../tasks/builtin/family.ts';
import { addedHeldOutTasks, trainSubGoalWeights } from './task-sets.ts';

/** Throws the first problem as one line. `trained`: what the run trains on by now (added-tasks.ts). */
export function checkAddedFamilies(
  { tasks, ...config }: RunConfig,
  trained: readonly string[],
  names: readonly string[],
) {
  const asked = [tasks.subGoalWeights, trainSubGoalWeights({ tasks })];
  const problemOf = (name: string): string | null => {
    const refused = asked.find((weights) => weightsProblem(familyNamed(name), weights) !== null);
    if (refused === undefined) return null;
    return `${weightsProblem(familyNamed(name), refused)}; the run asks for weights ${JSON.stringify(refused)}`;
  };
  const left = TRAINED_FAMILIES.filter(
    (name) => !trained.includes(name) && name !== tasks.composition && problemOf(name) === null,
  );
  const addable = left.length === 0 ? 'no family is left to be added' : `to be added: ${left.join(', ')}`;
  for (const [i, name] of names.entries()) {
    if (!FAMILIES.has(name)) refuse(name, unknownName('family', name, left.length === 0 ? TRAINED_FAMILIES : left));
    if (name === tasks.composition) refuse(name, `family '${name}' is what the run never trains on; ${addable}`);
    if (HELD_OUT_FAMILIES.includes(name)) refuse(name, `family '${name}' exists only held out; ${addable}`);
    if (trained.includes(name)) refuse(name, `family '${name}' is trained on already; ${addable}`);
    if (names.indexOf(name) !== i) refuse(name, `family '${name}' stands twice`);
    const problem = problemOf(name);
    if (problem !== null) refuse(name, problem);
  }
  // Draws what the evaluations will play: a family without enough tasks is refused here.
  const before = trained.filter((name) => !tasks.families.includes(name));
  addedHeldOutTasks({ tasks, ...config }, [...before, ...names]);
}

function refuse(family: string, problem: string): never {
  throw new Failure('config', `addTasks: ${problem}`, { subject: family });
}
