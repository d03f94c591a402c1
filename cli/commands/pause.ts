/** `rsi pause RUN`: halt a run within seconds; nothing finished is lost. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addPauseCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('pause')
    .description('halt a run within seconds; nothing finished is lost')
    .argument('<run>', 'its workflow id')
    .option('--reason <text>', "for the run's details and its result")
    .action(async (run: string, { reason }: { readonly reason?: string }) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      console.log(await sendUpdate(run, 'pause', reason === undefined ? [] : [{ reason }]));
      done(EXIT.done);
    });
}
