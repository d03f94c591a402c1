import type { RunReport } from './run-report.ts';
export function htmlReport(report: RunReport): string {
  return `<p>${report.schema}</p>`;
}
