/** Episodes played in this process, with its tensors and its terminals. */
import { openBusyClock } from '../../contracts/busy-clock.ts';
import { playGroup, type PlayingContext } from '../rollout.ts';
import type { Players } from './players.ts';

export function playInProcess(parts: Pick<PlayingContext, 'model' | 'tokenizer' | 'terminals'>): Players {
  // Of two groups that are played beside each other, the one that ends first is told the time of both.
  const clock = openBusyClock();
  return {
    width: 1,
    // While one group's commands run in the sandboxes, the other's tokens are sampled.
    lanes: 2,
    play: async (requests, { parameters, temperature }, _pieces, signal) => {
      clock.begin();
      try {
        const episodes = await playGroup({ ...parts, signal }, requests, parameters, temperature);
        return { episodes, time: { seconds: clock.take(), sandbox: parts.terminals.takeBusySeconds() } };
      } finally {
        clock.end();
      }
    },
    // Terminals and weights belong to who opened them.
    close: async () => undefined,
  };
}
