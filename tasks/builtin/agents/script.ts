/** The form of a scripted agent's inside: a generator that yields commands and receives what they showed. */
import type { Observation, Step } from '../sub-goals/sub-goal.ts';

/** Its end means `done`. */
export type Script = Generator<string, void, Observation>;

/** Gives the steps one after another; returns the last observation, null if there was no step. */
export function* takeSteps(steps: readonly Step[]): Generator<string, Observation | null, Observation> {
  let last: Observation | null = null;
  for (const step of steps) last = yield typeof step === 'string' ? step : step(last);
  return last;
}
