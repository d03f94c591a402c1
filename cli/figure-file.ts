/** The learning curve of one run, or of several of the same stages (seeds), as an SVG file of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Failure } from '../contracts/failures.ts';
import type { CurveSource } from '../viewer/curve/curve-points.ts';
import { learningCurve } from '../viewer/curve/learning-curve.ts';
import { standAlone } from '../viewer/plot/stand-alone.ts';
import { RUN_REPORT_SCHEMA, type RunReport } from '../viewer/run-report.ts';

/** What a curve is drawn from has been the same since the second. */
const READABLE: readonly string[] = ['terminal-rsi/run-report/2', RUN_REPORT_SCHEMA];

export function writeFigure(runs: readonly CurveSource[], path: string): void {
  writeFileSync(path, standAlone(learningCurve(runs)));
}

/** A report as `--json` writes it: of runs that lie on other machines. */
export function isReportFile(run: string): boolean {
  return run.endsWith('.json');
}

export function readReportFile(path: string): CurveSource {
  const refuse = (reason: string): Failure => new Failure('config', `${path} ${reason}`, { subject: path });
  let report: Partial<Pick<RunReport, keyof CurveSource>> & { readonly schema?: unknown };
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as typeof report;
  } catch (error) {
    throw refuse(`cannot be read as a report: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof report.schema === 'string' && READABLE.includes(report.schema)) return report as CurveSource;
  throw refuse(`is no report of a run that this version reads (schema ${READABLE.join(' or ')})`);
}
