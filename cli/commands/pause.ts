/** `rsi pause RUN`: halt a run within seconds; nothing finished is lost. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addPauseCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('pause')
    .description('halt a run within seconds; nothing finished is lost')
    .argument('<run>', 'its workflow id')
    .option('--reason <text>', "for the run's details and its result")
    .option('--json', 'print JSON')
    .action(async (run: string, { reason, json }: { readonly reason?: string; readonly json?: boolean }) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      const answer = await sendUpdate(run, 'pause', reason === undefined ? [] : [{ reason }]);
      console.log(json ? JSON.stringify({ run, answer }) : answer);
      done(EXIT.done);
    });
}
