/**
 * The demo as a durable run: everything it needs is attached to or started here (workers/stack.ts), the run is launched
 * as the Web UI does it, followed, reported on. After Ctrl-C an open run waits for workers, so the same command goes on.
 */
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { digestOf } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import { untilGone } from '../infra/processes.ts';
import { findRun } from '../lineage/postgres/claim-run.ts';
import { openPool, type Queryable } from '../lineage/postgres/connection.ts';
import type { StoredRun } from '../lineage/postgres/open-stored-run.ts';
import { wasStopped } from '../training/recursion.ts';
import { differences, flatten } from '../viewer/report/changed-keys.ts';
import { launchRun, type RunHandle } from '../workers/launch-run.ts';
import { openClient } from '../workers/open-client.ts';
import { homeOf, namespaceOf } from '../workers/settings.ts';
import { openStack, readStack, type Stack } from '../workers/stack.ts';
import { watchRun } from '../workers/watch-run.ts';
import type { trainRun, TrainRunResult } from '../workflows/train-run.ts';
import { concludeRun, type EndedRun } from './conclude-run.ts';
import { EXIT } from './exit.ts';
import { prepareBackend } from '../infra/prepare-backend.ts';
import { openDurableFeed } from './progress/durable-feed.ts';
import type { DemoOptions } from './run-options.ts';
import { requestRun, type RunRequest } from './run-request.ts';
import { sayChoices } from './say-choices.ts';
import { listenForStop } from '../infra/stop-signals.ts';

/** A stack that is being stopped is waited for. */
const LEAVE_MS = 60_000;

interface Demo {
  readonly options: DemoOptions;
  readonly request: RunRequest;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** Above the live view while there is one. */
  readonly say: (line: string) => void;
  readonly setView: (view: { say(line: string): void } | null) => void;
}

export async function runDurableDemo(options: DemoOptions): Promise<number> {
  let view: { say(line: string): void } | null = null;
  const say = (line: string): void => (view === null ? console.log(line) : view.say(line));
  const stop = listenForStop(say);
  const { signal } = stop;
  try {
    const backend = await prepareBackend(say, signal);
    const request = requestRun(options);
    sayChoices({
      ...{ config: request.config, preset: options.preset, say },
      backend: `${backend}, in a process apart`,
    });
    let demo: Demo = { options, request, signal, say, setView: (next) => (view = next) };
    for (;;) {
      const code = await onStack(demo);
      if (code !== null) return code;
      say('What had been started elsewhere has ended; starting it here');
      demo = { ...demo, options: { ...options, fresh: false } };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error('stopped; the same command goes on');
    return EXIT.interrupted;
  } finally {
    stop.dispose();
  }
}

/** Null when a stack that was attached to went away. */
async function onStack(demo: Demo): Promise<number | null> {
  const { signal, say } = demo;
  const stack = await openStack({
    ...{ home: homeOf(), namespace: namespaceOf(), log: say, signal },
    ...{ temporalAddress: process.env['TEMPORAL_ADDRESS'], databaseUrl: process.env['DATABASE_URL'] },
  });
  const leaving = whenLeft(stack);
  try {
    const code = await runOn(stack, { ...demo, signal: AbortSignal.any([signal, leaving.signal]) });
    if (code !== null) return code;
  } catch (error) {
    if (signal.aborted || !hasLeft(stack)) throw error;
  } finally {
    leaving.dispose();
    const again = signal.aborted ? '' : '; to look again: npm start, then the links above';
    if (stack.how === 'started') say(`Stopping what was started here${again}`);
    await stack.stop();
  }
  signal.throwIfAborted();
  await untilGone([stack.pid], LEAVE_MS);
  return null;
}

/** Follows the run to its end; null when the watching was ended. */
async function runOn(stack: Stack, demo: Demo): Promise<number | null> {
  const { options, request, signal, say, setView } = demo;
  const { client, linkTo, close } = await openClient();
  const db = openPool(stack.databaseUrl, { max: 1 });
  const blobs = process.env['RSI_BLOBS'] || join(homeOf(), 'blobs');
  const { workflowId, input } = request;
  const end: EndedRun = { workflowId, db, blobs, pageOf: linkTo, out: options.out, json: options.json, say };
  try {
    const before = client.workflow.getHandle<typeof trainRun>(workflowId);
    const status = await statusOf(before);
    if (options.fresh && status === 'RUNNING') await endOpenRun(before, demo);
    if (!options.fresh && status === 'COMPLETED') {
      const result = await before.result();
      if ((await isSameRun(db, result, request)) && !wasStopped(result.end)) {
        say('This run is finished; here is its result again (--fresh runs it anew).\n');
        return await concludeRun({ kind: 'completed', result }, end);
      }
    }
    const isAttached = status === 'RUNNING' && !options.fresh;
    signal.throwIfAborted();
    const handle = await launchRun({ client, input, workflowId });
    say(`run        ${workflowId}${isAttached ? ', which is open: going on with it' : ''}`);
    const link = linkTo(workflowId);
    if (link !== null) say(`Web UI     ${link}`);
    say('');
    const onClaimed = (run: StoredRun): void => checkConfig(run, request, isAttached, say);
    const feed = openDurableFeed({ db, blobs, output: process.stdout, onClaimed });
    setView(feed);
    const outcome = await watchRun({ client, handle, signal, onChange: (seen) => feed.take(seen) }).finally(() => {
      feed.close();
      setView(null);
    });
    return outcome === null ? null : await concludeRun(outcome, end);
  } finally {
    await db.end();
    await close();
  }
}

async function statusOf(handle: RunHandle): Promise<string | null> {
  try {
    return (await handle.describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** A server that is shared may know runs that are not in our database. */
async function isSameRun(db: Queryable, result: TrainRunResult, { workflowId, config }: RunRequest): Promise<boolean> {
  try {
    const run = await findRun(db, result.runId);
    const isRow = run.workflowId === workflowId && run.ordinal === result.ordinal;
    return isRow && run.configDigest === digestOf(config);
  } catch (error) {
    if (error instanceof Failure && error.boundary === 'lineage') return false;
    throw error;
  }
}

async function endOpenRun(handle: RunHandle, { say, signal }: Demo): Promise<void> {
  say(`Stopping the open run ${handle.workflowId} first`);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const stopped = async (): Promise<void> => {
    await handle.executeUpdate<string, [{ reason: string }]>('stop', { args: [{ reason: 'begun anew' }] });
    await handle.result();
  };
  await Promise.race([stopped(), aborted]);
}

/** The id says what the configuration is, but anybody may give an id. */
function checkConfig({ config }: StoredRun, request: RunRequest, isAttached: boolean, say: Demo['say']): void {
  const [first] = differences(flatten(request.config), flatten(config));
  if (first === undefined) return;
  const change = `${first.key} is ${JSON.stringify(first.fallback)} there, ${JSON.stringify(first.value)} here`;
  const { workflowId } = request;
  if (!isAttached) return say(`The workers have another configuration for it (${change})`);
  throw new Failure(
    'config',
    `run ${workflowId} is open with another configuration (${change}); let it end, or stop it (rsi stop ${workflowId})`,
    { subject: workflowId },
  );
}

/** Aborted when whoever started the stack is gone. */
function whenLeft(stack: Stack): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (hasLeft(stack)) controller.abort();
  }, 1_000);
  timer.unref();
  return { signal: controller.signal, dispose: () => clearInterval(timer) };
}

function hasLeft({ how, pid }: Stack): boolean {
  return how === 'attached' && readStack(homeOf())?.pid !== pid;
}
