/**
 * Follows a durable run to its end for `watch` and `launch --watch`: with the live view of the demo where the lineage
 * database is known, else with a line a change. Ctrl-C ends the watching alone.
 */
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { openPool } from '../lineage/postgres/connection.ts';
import type { RunHandle } from '../workers/launch-run.ts';
import { homeOf } from '../workers/settings.ts';
import { readStack } from '../workers/stack.ts';
import { watchedLine, watchRun, type Watched } from '../workers/watch-run.ts';
import type { GenerationRow } from '../workflows/run-progress.ts';
import { EXIT } from './exit.ts';
import { openDurableFeed } from './progress/durable-feed.ts';
import { listenForStop } from '../infra/stop-signals.ts';

/** Exit status 0 only if the run completed and its audit holds. */
export async function followRun(client: Client, handle: RunHandle, json: boolean): Promise<number> {
  const stop = listenForStop(() => undefined);
  const shown = openShown(json ? process.stderr : process.stdout);
  const say = (line: string): void => shown.say(line);
  const told = new Set<string>();
  const onChange = async (seen: Watched): Promise<void> => {
    await shown.take(seen);
    for (const row of seen.progress?.rows ?? []) {
      const text = rowLine(row);
      if (row.evaluation !== null && !told.has(text)) say(text);
      told.add(text);
    }
  };
  const outcome = await watchRun({ client, handle, signal: stop.signal, onChange }).finally(async () => {
    stop.dispose();
    await shown.close();
  });
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

interface Shown {
  take(seen: Watched): Promise<void>;
  say(line: string): void;
  close(): Promise<void>;
}

function openShown(output: NodeJS.WriteStream): Shown {
  const home = homeOf();
  const url = process.env['DATABASE_URL'] || readStack(home)?.databaseUrl;
  if (url === undefined) return openLines((line) => void output.write(`${line}\n`));
  const db = openPool(url, { max: 1 });
  const feed = openDurableFeed({ db, blobs: process.env['RSI_BLOBS'] || join(home, 'blobs'), output });
  return {
    ...feed,
    close: async () => {
      feed.close();
      await db.end();
    },
  };
}

function openLines(say: (line: string) => void): Shown {
  let last = '';
  return {
    take: async (seen) => {
      const line = watchedLine(seen);
      if (line !== last) say(line);
      last = line;
    },
    say,
    close: () => Promise.resolve(),
  };
}

function rowLine({ generation, evaluation, promoted }: GenerationRow): string {
  if (evaluation === null) return '';
  const { strict, n, partial, heldOutStrict, heldOutN } = evaluation;
  const fate = promoted === null ? '' : promoted ? ', promoted' : ', rolled back';
  return `  = generation ${generation}: strict ${strict}/${n}, partial ${partial?.toFixed(3) ?? '-'}, held out ${heldOutStrict}/${heldOutN}${fate}`;
}
