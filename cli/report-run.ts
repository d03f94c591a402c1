/**
 * Reports on a stored run: one in a folder from its report.json if that is current, else, and always a durable one, by
 * telling its story from its records. With `--figure` it is their learning curve alone that is written.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { openStoredRun } from '../lineage/postgres/open-stored-run.ts';
import type { CurveSource } from '../viewer/curve/curve-points.ts';
import type { RunReport } from '../viewer/run-report.ts';
import { textReport } from '../viewer/text-report.ts';
import { homeOf } from '../workers/settings.ts';
import { pageOf, readStack } from '../workers/stack.ts';
import { reportFolder } from './conclude-run.ts';
import { durableReport } from './durable-report.ts';
import { EXIT } from './exit.ts';
import { isReportFile, readReportFile, writeFigure } from './figure-file.ts';
import { askLineage, findLineageRun, hasLineage } from './lineage-database.ts';
import { openLocalSession } from './local-session.ts';
import { buildReport, readReport, writeReport } from './report-files.ts';
import { retell } from './retell.ts';
import { findRun, readRunConfig, requireWritableFile, runsFolder } from './run-folder.ts';

export interface ReportOptions {
  readonly out?: string;
  readonly json?: string;
  readonly figure?: string;
}

export async function reportRuns(runs: readonly string[], options: ReportOptions): Promise<number> {
  const { figure, out, json } = options;
  if (figure !== undefined) {
    if (out !== undefined || json !== undefined)
      throw new Failure('config', '--figure stands without --out and --json');
    return figureOf(runs, figure);
  }
  const [run] = runs;
  if (run === undefined || runs.length > 1) throw new Failure('config', 'of several runs there is only a --figure');
  return reportRun(run, options);
}

async function figureOf(runs: readonly string[], path: string): Promise<number> {
  requireWritableFile('--figure', path);
  const sources: CurveSource[] = [];
  // One after the other: each opens a folder or the database.
  for (const run of runs) sources.push(isReportFile(run) ? readReportFile(run) : (await readRun(run)).report);
  writeFigure(sources, path);
  console.log(`Figure: ${path}`);
  return EXIT.done;
}

async function reportRun(run: string, options: ReportOptions): Promise<number> {
  if (options.out !== undefined) requireWritableFile('--out', options.out);
  if (options.json !== undefined) requireWritableFile('--json', options.json);
  const { report, folder } = await readRun(run);
  console.log(textReport(report, writeReport(report, folder, { html: options.out, json: options.json })));
  return EXIT.done;
}

interface ToldRun {
  readonly report: RunReport;
  /** Where its files go unless said otherwise. */
  readonly folder: string;
}

function readRun(run: string): Promise<ToldRun> {
  const isFolder = [run, join(runsFolder(), run)].some((folder) => existsSync(join(folder, 'log.jsonl')));
  // A name that is nowhere is told as a folder's where there is no database to look in.
  return isFolder || !hasLineage() ? readFolder(findRun(run)) : readDurable(run);
}

async function readFolder(folder: string): Promise<ToldRun> {
  const config = readRunConfig(folder);
  if (config === null) throw new Failure('config', `run folder ${folder} has no run.json to tell its configuration`);
  // A run that is under way may be looked at too.
  const session = await openLocalSession(config, folder, () => undefined, new AbortController().signal, {
    readOnly: true,
  });
  try {
    for (const repair of session.store.repairs) console.log(`damaged    ${repair}`);
    const stored = readReport(folder, await session.store.contentHead());
    return { report: stored ?? (await buildReport(await retell(session.context), session)), folder };
  } finally {
    await session.close();
  }
}

function readDurable(asked: string): Promise<ToldRun> {
  return askLineage(async ({ db, blobs }) => {
    const { id, workflowId, ordinal } = await findLineageRun(db, asked);
    const stack = readStack(homeOf());
    const page = stack === null ? null : pageOf(stack, workflowId);
    const report = await durableReport(await openStoredRun(db, blobs, id), { page });
    return { report, folder: reportFolder(workflowId, ordinal) };
  });
}
