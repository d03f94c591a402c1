/** Episodes played in this process, with its tensors and its terminals. */
import { playGroup, type PlayingContext } from '../rollout.ts';
import type { Players } from './players.ts';

export function playInProcess(parts: Pick<PlayingContext, 'model' | 'tokenizer' | 'terminals'>): Players {
  return {
    width: 1,
    // While one group's commands run in the sandboxes, the other's tokens are sampled.
    lanes: 2,
    play: (requests, { parameters, temperature }, _pieces, signal) =>
      playGroup({ ...parts, signal }, requests, parameters, temperature),
    // Terminals and weights belong to who opened them.
    close: async () => undefined,
  };
}
