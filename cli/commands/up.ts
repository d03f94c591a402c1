/** `rsi up`: starts Temporal, Postgres and the workers of this folder, and stays up until Ctrl-C. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import { presetNames } from '../../infra/presets.ts';
import { listenForStop } from '../stop-signals.ts';

export function addUpCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('up')
    .description('start everything that durable runs need, and stay up')
    .addHelpText(
      'after',
      '\nOpen runs go on. Ctrl-C, or `rsi down` from elsewhere, stops it; nothing finished is lost.',
    )
    .action(async () => {
      const { openStack } = await import('../../workers/stack.ts');
      const { homeOf, namespaceOf } = await import('../../workers/settings.ts');
      const say = (line: string): void => console.log(line);
      const stop = listenForStop(() => say('stopping'));
      const stack = await openStack({
        ...{ home: homeOf(), namespace: namespaceOf(), log: say },
        ...{ temporalAddress: process.env['TEMPORAL_ADDRESS'], databaseUrl: process.env['DATABASE_URL'] },
      });
      try {
        if (stack.uiUrl !== null) sayLinks(stack.uiUrl, stack.namespace, say);
        say(stack.how === 'attached' ? 'It is up already.' : 'Up. Ctrl-C stops it.');
        if (stack.how === 'started' && !stop.signal.aborted) {
          // The signal alone does not keep the process alive.
          const alive = setInterval(() => undefined, 60_000);
          await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
          clearInterval(alive);
        }
      } finally {
        await stack.stop();
        stop.dispose();
      }
      done(EXIT.done);
    });
}

/** The form of the Web UI, filled in but for its input, which it takes from no link. */
function sayLinks(uiUrl: string, namespace: string, say: (line: string) => void): void {
  say(`Start a run in the Web UI (input {} takes the preset demo; others below), or with \`rsi launch\`:`);
  for (const name of presetNames()) {
    const query = new URLSearchParams({ workflowId: `run-${name}`, taskQueue: 'control', workflowType: 'trainRun' });
    say(`  ${uiUrl}/namespaces/${namespace}/workflows/start-workflow?${query.toString()}`);
    say(`    input ${JSON.stringify({ preset: name })}`);
  }
}
