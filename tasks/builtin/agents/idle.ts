/** Does nothing: a task on which it scores has a check that holds from the start. */
import type { Script } from './script.ts';

export function* idle(): Script {
  return;
}
