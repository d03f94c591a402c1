/** A run's report on disk: report.json and report.html in its folder, and wherever else it was asked for. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { digestOf } from '../contracts/digest.ts';
import type { LocalSession } from './local-session.ts';
import type { RunResult } from '../training/run-result.ts';
import { htmlReport } from '../viewer/html-report.ts';
import { RUN_REPORT_SCHEMA, runReport, type RunReport } from '../viewer/run-report.ts';

export async function buildReport(result: RunResult, session: LocalSession): Promise<RunReport> {
  const { backend, store, context } = session;
  const { library, version, ...details } = backend.describe;
  return runReport(result, {
    folder: store.folder,
    durable: null,
    configDigest: digestOf(result.config),
    backend: { name: backend.name, library, version, details },
    tokenizerDigest: context.tokenizer.digest,
    sandbox: `embedded bash, threads: ${context.config.rollout.sandboxWorkers}`,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    records: await store.list(),
  });
}

export interface ReportTargets {
  readonly html?: string | undefined;
  readonly json?: string | undefined;
}

/** Writes both forms and returns the path of the page. */
export function writeReport(report: RunReport, folder: string, targets: ReportTargets = {}): string {
  mkdirSync(folder, { recursive: true });
  const text = `${JSON.stringify(report, null, 1)}\n`;
  const page = resolve(targets.html ?? join(folder, 'report.html'));
  writeFileSync(join(folder, 'report.json'), text);
  writeFileSync(page, htmlReport(report));
  if (targets.json !== undefined) writeFileSync(targets.json, text);
  return page;
}

/** The report of a finished run, if the folder holds one that fits what is stored now. */
export function readReport(folder: string, contentHead: string): RunReport | null {
  const path = join(folder, 'report.json');
  if (!existsSync(path)) return null;
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as RunReport;
    const isCurrent = report.schema === RUN_REPORT_SCHEMA && report.run.contentHead === contentHead;
    return isCurrent && report.end.reason !== 'unfinished' ? report : null;
  } catch {
    return null; // a torn file: the report is made again from the records
  }
}
