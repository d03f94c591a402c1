/** `rsi watch RUN`: follows a durable run to its end; Ctrl-C ends the watching alone. */
import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import type { RunHandle } from '../../workers/launch-run.ts';
import type { GenerationRow } from '../../workflows/run-progress.ts';
import { EXIT } from '../exit.ts';
import { listenForStop } from '../stop-signals.ts';

export function addWatchCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('watch')
    .description('follow a durable run to its end')
    .argument('<run>', 'its workflow id')
    .option('--json', 'print the result as JSON')
    .action(async (run: string, options: { readonly json?: boolean }) => {
      const { findRunHandle, openClient } = await import('../../workers/open-client.ts');
      const { client, close } = await openClient();
      try {
        done(await follow(client, await findRunHandle(client, run), options.json ?? false));
      } finally {
        await close();
      }
    });
}

/** Exit status 0 only if the run completed and its audit holds. */
export async function follow(client: Client, handle: RunHandle, json: boolean): Promise<number> {
  const { watchedLine, watchRun } = await import('../../workers/watch-run.ts');
  const say = (line: string): void => void (json ? console.error(line) : console.log(line));
  const stop = listenForStop(() => undefined);
  let last = '';
  const told = new Set<string>();
  const outcome = await watchRun({
    ...{ client, handle, signal: stop.signal },
    onChange: (seen) => {
      const line = watchedLine(seen);
      if (line !== last) say(line);
      last = line;
      for (const row of seen.progress?.rows ?? []) {
        const text = rowLine(row);
        if (row.evaluation !== null && !told.has(text)) say(text);
        told.add(text);
      }
    },
  });
  stop.dispose();
  if (outcome === null) {
    say(`not watching any more; the run goes on (rsi stop ${handle.workflowId} ends it)`);
    return EXIT.interrupted;
  }
  if (json) console.log(JSON.stringify(outcome));
  if (outcome.kind === 'failed') {
    console.error(`rsi: run ${handle.workflowId} failed: ${outcome.reason}`);
    return EXIT.failed;
  }
  const { end, audit, contentHead, runId } = outcome.result;
  say(`run ${runId} ended: ${end.reason}; content head ${contentHead}`);
  const bad = audit.firstBad;
  say(audit.ok ? 'the audit holds' : `the audit FAILED: ${bad?.where}: ${bad?.what}`);
  return audit.ok ? EXIT.done : EXIT.failed;
}

function rowLine({ generation, evaluation, promoted }: GenerationRow): string {
  if (evaluation === null) return '';
  const { strict, n, partial, heldOutStrict, heldOutN } = evaluation;
  const fate = promoted === null ? '' : promoted ? ', promoted' : ', rolled back';
  return `  = generation ${generation}: strict ${strict}/${n}, partial ${partial?.toFixed(3) ?? '-'}, held out ${heldOutStrict}/${heldOutN}${fate}`;
}
