/** `rsi watch RUN`: follows a durable run to its end; Ctrl-C ends the watching alone. */
import type { Command } from 'commander';

export function addWatchCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('watch')
    .description('follow a durable run to its end')
    .argument('<run>', 'its workflow id')
    .option('--json', 'print the result as JSON')
    .action(async (run: string, options: { readonly json?: boolean }) => {
      const { findRunHandle, openClient } = await import('../../workers/open-client.ts');
      const { followRun } = await import('../follow-run.ts');
      const { client, close } = await openClient();
      try {
        done(await followRun(client, await findRunHandle(client, run), options.json ?? false));
      } finally {
        await close();
      }
    });
}
