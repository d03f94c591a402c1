/** `rsi up`: starts Temporal, Postgres and the workers of this folder, and stays up until Ctrl-C. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import { presetNames } from '../../infra/presets.ts';
import { startLink } from '../start-link.ts';
import { listenForStop } from '../../infra/stop-signals.ts';

export function addUpCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('up')
    .description('start everything that durable runs need, and stay up')
    .addHelpText(
      'after',
      '\nOpen runs go on. Ctrl-C, or `rsi down` from elsewhere, stops it; nothing finished is lost.',
    )
    .option('--json', 'print one JSON line once it is up; the rest goes to stderr')
    .action(async ({ json = false }: { readonly json?: boolean }) => done(await up(json)));
}

async function up(json: boolean): Promise<number> {
  const { openStack } = await import('../../workers/stack.ts');
  const { homeOf, namespaceOf } = await import('../../workers/settings.ts');
  const say = (line: string): void => (json ? console.error(line) : console.log(line));
  const stop = listenForStop(() => say('stopping'));
  try {
    const stack = await openStack({
      ...{ home: homeOf(), namespace: namespaceOf(), log: say, signal: stop.signal },
      ...{ temporalAddress: process.env['TEMPORAL_ADDRESS'], databaseUrl: process.env['DATABASE_URL'] },
    });
    try {
      if (stack.uiUrl !== null) sayLinks(stack.uiUrl, stack.namespace, say);
      if (json) {
        const { upLine } = await import('../up-line.ts');
        console.log(upLine(stack));
      }
      say(stack.how === 'attached' ? 'It is up already.' : 'Up. Ctrl-C stops it.');
      if (stack.how === 'started') await untilAborted(stop.signal);
    } finally {
      await stack.stop();
    }
    return EXIT.done;
  } catch (error) {
    // However the start ended on the way out, this is why.
    if (!stop.signal.aborted) throw error;
    say('Stopped before it was up.');
    return EXIT.interrupted;
  } finally {
    stop.dispose();
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // The signal alone does not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(alive);
}

/** The form of the Web UI, filled in but for its input, which it takes from no link. */
function sayLinks(uiUrl: string, namespace: string, say: (line: string) => void): void {
  say(`Start a run in the Web UI (input {} takes the preset demo; others below), or with \`rsi launch\`:`);
  for (const name of presetNames()) {
    say(`  ${startLink(uiUrl, namespace, `run-${name}`)}`);
    say(`    input ${JSON.stringify({ preset: name })}`);
  }
}
