/** The report of a durable run, told from the lineage database and the stored files alone; nothing is computed. */
import { digestOf } from '../contracts/digest.ts';
import type { StoredRun } from '../lineage/postgres/open-stored-run.ts';
import { environmentOf } from '../training/environment.ts';
import type { RunEnd } from '../training/recursion.ts';
import { runReport, type RunReport } from '../viewer/run-report.ts';
import { retell } from './retell.ts';
import { storyContext } from './story-context.ts';

export interface DurableReportOptions {
  /** Of the run in the Web UI. */
  readonly page: string | null;
  /** Why it ended, where that is known: people may end a run or change its limits, and no record tells so. */
  readonly end?: RunEnd;
}

export async function durableReport(stored: StoredRun, { page, end }: DurableReportOptions): Promise<RunReport> {
  const { run, config, eventHead } = stored;
  const context = storyContext(config, stored);
  const told = await retell(context);
  const environment = await environmentOf(stored);
  return runReport(end === undefined ? told : { ...told, end }, {
    folder: null,
    durable: {
      ...{ runId: run.id, workflowId: run.workflowId, ordinal: run.ordinal, page },
      ...{ events: eventHead.events, eventHead: eventHead.head },
    },
    configDigest: digestOf(config),
    backend:
      environment === null
        ? null
        : { name: environment.backend, library: environment.library, version: environment.version, details: null },
    tokenizerDigest: context.tokenizer.digest,
    sandbox: `embedded bash, threads: ${config.rollout.sandboxWorkers}`,
    ...{ node: process.version, platform: `${process.platform}-${process.arch}` },
    records: await stored.list(),
  });
}
