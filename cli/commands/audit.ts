/** `rsi audit RUN`: recomputes the chain and every digest from the database and the stored files alone. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Failure } from '../../contracts/failures.ts';
import { EXIT } from '../exit.ts';

interface AuditCommandOptions {
  readonly head?: string;
  readonly json?: boolean;
}

export function addAuditCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('audit')
    .description('recompute a run’s chain and digests, and name the first bad row')
    .argument('<run>', 'number of the run, or its workflow id')
    .option('--head <file>', 'a head kept outside of the database ({"events": N, "head": "..."}): catches a cut tail')
    .option('--json', 'print JSON')
    .action(async (asked: string, options: AuditCommandOptions) => {
      const expected = options.head === undefined ? undefined : readHead(options.head);
      const { askLineage, findLineageRun } = await import('../lineage-database.ts');
      const { auditRun } = await import('../../lineage/audit/audit-run.ts');
      const result = await askLineage(async ({ url, blobs, db }) => {
        const { id } = await findLineageRun(db, asked);
        return auditRun({ url, blobs, runId: id, ...(expected === undefined ? {} : { expected }) });
      });
      if (options.json) console.log(JSON.stringify(result));
      else if (result.firstBad === null) {
        console.log(
          `The audit holds: ${result.events} events, head ${result.head}\nContent head: ${result.contentHead}`,
        );
      } else console.log(`The audit fails at ${result.firstBad.where}: ${result.firstBad.what}`);
      done(result.ok ? EXIT.done : EXIT.failed);
    });
}

function readHead(path: string): { events: number; head: string } {
  try {
    const { events, head } = JSON.parse(readFileSync(path, 'utf8')) as { events?: unknown; head?: unknown };
    if (typeof events === 'number' && typeof head === 'string') return { events, head };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'it is not JSON';
    throw new Failure('config', `--head ${path} cannot be read (${reason})`, { subject: path });
  }
  throw new Failure('config', `--head ${path} must hold {"events": N, "head": "..."}`, { subject: path });
}
