/** `rsi resume RUN`: let a paused or parked run go on. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addResumeCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('resume')
    .description('let a paused or parked run go on')
    .argument('<run>', 'its workflow id')
    .action(async (run: string) => {
      const { sendUpdate } = await import('../../workers/send-update.ts');
      console.log(await sendUpdate(run, 'resume', []));
      done(EXIT.done);
    });
}
