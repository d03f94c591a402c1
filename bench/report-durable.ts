/**
 * `npm run bench -- durable`: preset smoke as a durable run, and the same in one process, one after the other through the
 * command line as people use it. Both must end with the same content head: else the figures compare different work.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchReport } from './bench-report.ts';
import { openRsi } from './rsi-process.ts';

interface Ended {
  readonly kind: string;
  readonly reason?: string;
  readonly result?: { readonly contentHead: string; readonly audit: { readonly ok: boolean } };
}

export async function reportDurable(): Promise<BenchReport> {
  const home = mkdtempSync(join(tmpdir(), 'rsi-bench-'));
  // The database server's own user has to enter it.
  chmodSync(home, 0o755);
  const rsi = openRsi(home);
  try {
    const file = join(home, 'bare.json');
    const bare = await rsi.run(['demo', '--local', '--preset', 'smoke', '--out', join(home, 'bare'), '--json', file]);
    const stack = await rsi.up();
    const durable = await rsi.run(['launch', 'smoke', '--id', 'bench', '--watch', '--json']).finally(stack.stop);
    const ended = JSON.parse(durable.stdout.trimEnd().split('\n').at(-1) ?? '') as Ended;
    const heads = {
      bare: (JSON.parse(readFileSync(file, 'utf8')) as { run: { contentHead: string } }).run.contentHead,
      durable: ended.result?.contentHead ?? null,
    };
    if (heads.bare !== heads.durable || ended.result?.audit.ok !== true) {
      throw new Error(`the runs differ: content heads ${JSON.stringify(heads)}, durable ${JSON.stringify(ended)}`);
    }
    const ratio = durable.seconds / bare.seconds;
    return {
      numbers: {
        bareSeconds: bare.seconds,
        durableSeconds: durable.seconds,
        startSeconds: stack.seconds,
        ratio,
        heads,
      },
      lines: [
        `durable vs bare, preset smoke, content head ${heads.bare.slice(0, 12)} of both`,
        `bare       ${bare.seconds.toFixed(1).padStart(7)} s  (demo --local, process start and report included)`,
        `durable    ${durable.seconds.toFixed(1).padStart(7)} s  (launch --watch, audit included)`,
        `before     ${stack.seconds.toFixed(1).padStart(7)} s  (up: Temporal, Postgres, workers; once)`,
        `durable takes ${ratio.toFixed(2)} times as long`,
      ],
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
