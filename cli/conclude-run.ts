/** The end of a durable run as a person sees it: report, audit, links, exit code. */
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import type { Queryable } from '../lineage/postgres/connection.ts';
import { openStoredRun } from '../lineage/postgres/open-stored-run.ts';
import { wasStopped } from '../training/recursion.ts';
import { textReport } from '../viewer/text-report.ts';
import type { RunOutcome } from '../workers/watch-run.ts';
import type { TrainRunResult } from '../workflows/train-run.ts';
import { EXIT } from './exit.ts';
import { runsFolder } from './run-folder.ts';

export interface EndedRun {
  readonly workflowId: string;
  readonly db: Queryable;
  readonly blobs: string;
  /** Of a workflow in the Web UI; null where none is known of. */
  readonly pageOf: (workflowId: string) => string | null;
  /** Where the report goes; left out, the run's own folder. */
  readonly out?: string | undefined;
  readonly json?: string | undefined;
  readonly say: (line: string) => void;
}

/** Done only if the run went to its end and its audit holds. */
export async function concludeRun(outcome: RunOutcome, run: EndedRun): Promise<number> {
  const { workflowId, say } = run;
  if (outcome.kind === 'failed') {
    console.error(`rsi: run ${workflowId} failed: ${outcome.reason}`);
    sayLinks(run);
    return EXIT.failed;
  }
  const { result } = outcome;
  const { ok, firstBad } = result.audit;
  await sayReport(result, run);
  say(ok ? 'the audit holds' : `the audit FAILED: ${firstBad?.where}: ${firstBad?.what}`);
  sayLinks(run);
  if (!wasStopped(result.end)) return ok ? EXIT.done : EXIT.failed;
  console.error(`rsi: run ${workflowId} did not go to its end: ${result.end.reason}`);
  return EXIT.failed;
}

async function sayReport(result: TrainRunResult, run: EndedRun): Promise<void> {
  const { workflowId, db, blobs, pageOf, out, json, say } = run;
  // The loop's code is not needed before.
  const { durableReport } = await import('./durable-report.ts');
  const { writeReport } = await import('./report-files.ts');
  const stored = await openStoredRun(db, blobs, result.runId);
  try {
    const report = await durableReport(stored, { page: pageOf(workflowId), end: result.end });
    const folder = out ?? reportFolder(workflowId, result.ordinal);
    say(textReport(report, writeReport(report, folder, { json })));
  } catch (error) {
    // Stopped before there was anything to compare.
    if (!(error instanceof Failure) || error.boundary !== 'lineage' || !wasStopped(result.end)) throw error;
    say(error.message);
  }
}

/** `.rsi/runs/run-demo-seed0-1` */
export function reportFolder(workflowId: string, ordinal: number): string {
  return join(runsFolder(), `${workflowId.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}-${ordinal}`);
}

function sayLinks({ workflowId, pageOf, say }: EndedRun): void {
  const [run, audit] = [pageOf(workflowId), pageOf(`${workflowId}/audit`)];
  if (run !== null) say(`Web UI: ${run}`);
  if (audit !== null) say(`        ${audit}`);
}
