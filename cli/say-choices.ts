/** What a demo is about to run with, one line a choice, before anything is computed. */
import type { RunConfig } from '../contracts/config/run-config.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import { grouped } from '../viewer/format.ts';
import { planRun } from './progress/plan.ts';

export interface Choices {
  readonly config: RunConfig;
  /** As it was asked for. */
  readonly preset: string;
  readonly backend: string;
  readonly say: (line: string) => void;
}

export function sayChoices({ config, preset, backend, say }: Choices): void {
  const tokenizer = openTokenizer();
  const episodes = planRun(config).filter(
    ({ pace }) => pace !== 'fine-tune' && pace !== 'critic-fit' && pace !== 'policy-update',
  );
  const total = episodes.reduce((sum, { amount }) => sum + amount, 0);
  const { minutes } = config.stop;
  say(`backend    ${backend}`);
  say(`sandbox    embedded bash, in-memory files, no network, ${threads(config.rollout.sandboxWorkers)}`);
  say(`tokenizer  built-in, ${tokenizer.vocabSize} tokens, ${tokenizer.digest.slice(0, 12)}`);
  say(
    `preset     ${config.preset}${config.preset !== preset && preset === 'demo' ? ' (on wasm the demo takes a smaller budget)' : ''}`,
  );
  say(`seed       ${config.seed}`);
  say(
    `budget     ${config.generations} generation${config.generations === 1 ? '' : 's'} of ${config.stages.join(', ')}; ` +
      `about ${grouped(total)} episodes${minutes === null ? '' : `; at most ${minutes} minutes`}`,
  );
}

function threads(count: number): string {
  return count === 0 ? 'in this thread' : `${count} thread${count === 1 ? '' : 's'}`;
}
