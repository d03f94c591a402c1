/** `rsi stop RUN`: end a run now, with what was promoted last. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addStopCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('stop')
    .description('end a run now, with what was promoted last')
    .argument('<run>', 'its workflow id')
    .option('--reason <text>', "for the run's details and its result")
    .action(async (run: string, { reason }: { readonly reason?: string }) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      console.log(await sendUpdate(run, 'stop', reason === undefined ? [] : [{ reason }]));
      done(EXIT.done);
    });
}
