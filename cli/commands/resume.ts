/** `rsi resume RUN`: let a paused or parked run go on. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addResumeCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('resume')
    .description('let a paused or parked run go on')
    .argument('<run>', 'its workflow id')
    .option('--json', 'print JSON')
    .action(async (run: string, { json }: { readonly json?: boolean }) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      const answer = await sendUpdate(run, 'resume', []);
      console.log(json ? JSON.stringify({ run, answer }) : answer);
      done(EXIT.done);
    });
}
