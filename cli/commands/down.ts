/** `rsi down`: stops everything of this folder, also what a killed `rsi up` has left behind. Runs stay and go on later. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

/** Workers have their force time, database and server some seconds each. */
const LIMIT_MS = 60_000;

export function addDownCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('down')
    .description('stop what `rsi up` has started in this folder; open runs go on with the next start')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { stopStack } = await import('../../workers/stop-stack.ts');
      const { homeOf } = await import('../../workers/settings.ts');
      const home = homeOf();
      const stopped = await stopStack(home, LIMIT_MS, (line) => (json ? console.error(line) : console.log(line)));
      if (json) console.log(JSON.stringify({ home, stopped }));
      done(stopped ? EXIT.done : EXIT.failed);
    });
}
