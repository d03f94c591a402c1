/** `rsi report RUN`: shows a stored run again and writes its HTML page; nothing is computed anew. */
import type { Command } from 'commander';
import type { ReportOptions } from '../report-run.ts';

export function addReportCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('report')
    .description('report on a stored run: text, HTML page, JSON')
    .argument(
      '<run>',
      'workflow id or number of a durable run; folder of a bare one, or its name under ${RSI_HOME:-.rsi}/runs',
    )
    .option('--out <file>', 'where to write the HTML page (default: report.html in the folder of the run)')
    .option('--json <file>', 'write the report as JSON too')
    .action(async (run: string, options: ReportOptions) => {
      const { reportRun } = await import('../report-run.ts');
      done(await reportRun(run, options));
    });
}
