/** `rsi report RUN`: shows a stored run again and writes its HTML page, or its figure; nothing is computed anew. */
import type { Command } from 'commander';
import type { ReportOptions } from '../report-run.ts';

export function addReportCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('report')
    .description('report on a stored run: text, HTML page, JSON; or the learning curve of several as one figure')
    .argument(
      '<runs...>',
      'workflow id or number of a durable run; folder of a bare one, or its name under ${RSI_HOME:-.rsi}/runs; for --figure also what --json wrote',
    )
    .option('--out <file>', 'where to write the HTML page (default: report.html in the folder of the run)')
    .option('--json <file>', 'write the report as JSON too')
    .option('--figure <file>', 'write the learning curve alone, as SVG; of several runs (seeds) a line each')
    .action(async (runs: readonly string[], options: ReportOptions) => {
      const { reportRuns } = await import('../report-run.ts');
      done(await reportRuns(runs, options));
    });
}
