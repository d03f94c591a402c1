/** `rsi stop RUN`: end a run now, with what was promoted last. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addStopCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('stop')
    .description('end a run now, with what was promoted last')
    .argument('<run>', 'its workflow id')
    .option('--reason <text>', "for the run's details and its result")
    .option('--json', 'print JSON')
    .action(async (run: string, { reason, json }: { readonly reason?: string; readonly json?: boolean }) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      const answer = await sendUpdate(run, 'stop', reason === undefined ? [] : [{ reason }]);
      console.log(json ? JSON.stringify({ run, answer }) : answer);
      done(EXIT.done);
    });
}
