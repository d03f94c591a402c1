/**
 * What the loop is given to tell a stored run's story again (retell.ts): nothing is computed, so tensors, terminals and
 * weights are not opened, and asking for them is a defect.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import type { RunStore } from '../contracts/run-store.ts';
import type { Parameters } from '../model/parameters.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from '../training/context.ts';
import { modelConfigOf } from '../training/open-loop.ts';

export function storyContext(config: RunConfig, store: RunStore): LoopContext {
  const tokenizer = openTokenizer();
  return {
    ...{ config, store, tokenizer, model: modelConfigOf(config, tokenizer), tasks: new Map() },
    terminals: {
      ...{ open: refuse, step: refuse, judge: refuse, close: refuse, play: refuse, replay: refuse },
      ...{ takeBusySeconds: () => 0, dispose: () => Promise.resolve() },
    },
    players: { width: 1, lanes: 1, play: refuse, close: () => Promise.resolve() },
    weights: {
      // Named where a step begins, whether it was done before or not: it is their use that is refused.
      load: () => Promise.resolve(unopened),
      ...{ loadOptimizer: refuse, save: refuse, dispose: () => undefined },
    },
    elapsed: () => 0,
    report: () => undefined,
    signal: new AbortController().signal,
  };
}

const unopened: Parameters = new Proxy<Parameters>(
  {},
  {
    get: (_, key) => {
      // A promise asks so whether it is to wait for it.
      if (key === 'then') return undefined;
      throw computed();
    },
  },
);

function refuse(): Promise<never> {
  return Promise.reject(computed());
}

function computed(): Failure {
  return new Failure('lineage', 'a stored run is told again, not computed');
}
