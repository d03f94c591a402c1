/** `rsi compare RUN RUN`: two stored runs beside each other; nothing is computed anew. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

const RUN = 'number or workflow id of a durable run; folder of a bare one, or its name';

export function addCompareCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('compare')
    .description('two runs beside each other: configuration, contents, held-out results, work')
    .argument('<left>', RUN)
    .argument('<right>', RUN)
    .option('--json', 'print JSON')
    .action(async (left: string, right: string, { json }: { readonly json?: boolean }) => {
      const { readStoredRuns } = await import('../stored-runs.ts');
      const { compareRuns } = await import('../../viewer/compare/compare-runs.ts');
      const { compareText } = await import('../../viewer/compare/compare-text.ts');
      const [one, other] = await readStoredRuns([left, right], (line) => console.error(line));
      if (one === undefined || other === undefined) return;
      const comparison = compareRuns(one, other);
      console.log(json ? JSON.stringify(comparison) : compareText(comparison));
      done(EXIT.done);
    });
}
