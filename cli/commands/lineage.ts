/** `rsi lineage ...`: where a trajectory or checkpoint comes from, what became of it, why a rewrite was (not) accepted. */
import type { Command } from 'commander';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import { EXIT } from '../exit.ts';

interface Question {
  readonly name: string;
  readonly about: string;
  /** Without an id the question is about the whole run. */
  readonly takesId: boolean;
  readonly ask: (db: Queryable, runId: number, id: string) => Promise<unknown>;
}

const QUESTIONS: readonly Question[] = [
  {
    ...{ name: 'show', about: 'what a digest (8 characters or more) stands for', takesId: true },
    ask: async (db, runId, id) => (await import('../../lineage/postgres/queries.ts')).findThings(db, runId, id),
  },
  {
    ...{ name: 'up', about: 'ancestors of a trajectory or checkpoint', takesId: true },
    ask: (db, runId, id) => walk(db, runId, id, 'up'),
  },
  {
    ...{
      name: 'down',
      about: 'descendants of a trajectory or checkpoint, and what was trained on them',
      takesId: true,
    },
    ask: (db, runId, id) => walk(db, runId, id, 'down'),
  },
  {
    ...{ name: 'why', about: 'why a rewrite was accepted or not', takesId: true },
    ask: async (db, runId, id) => (await import('../../lineage/postgres/queries.ts')).whyRewrite(db, runId, id),
  },
  {
    ...{ name: 'data', about: 'what a checkpoint was trained on', takesId: true },
    ask: async (db, runId, id) =>
      (await import('../../lineage/postgres/checkpoint-queries.ts')).checkpointData(db, runId, id),
  },
  {
    ...{ name: 'funnel', about: 'candidates and gates of every rewrite round', takesId: false },
    ask: async (db, runId) => (await import('../../lineage/postgres/queries.ts')).funnel(db, runId),
  },
  {
    ...{ name: 'leaks', about: 'anything learned from tasks that are only measured', takesId: false },
    ask: async (db, runId) => (await import('../../lineage/postgres/checkpoint-queries.ts')).leaks(db, runId),
  },
];

export function addLineageCommand(program: Command, done: (code: number) => void): Command {
  const lineage = program.command('lineage').description('ask the lineage of a run');
  for (const { name, about, takesId, ask } of QUESTIONS) {
    const command = lineage.command(name).description(about).argument('<run>', 'number of the run, or its workflow id');
    if (takesId) command.argument('<id>', 'digest, or its first 8 characters or more');
    command.option('--json', 'print JSON').allowExcessArguments(false);
    command.action(async (asked: string, id: string | object) => {
      const { askLineage, findLineageRun } = await import('../lineage-database.ts');
      const answer = await askLineage(async ({ db }) =>
        ask(db, (await findLineageRun(db, asked)).id, typeof id === 'string' ? id : ''),
      );
      if (command.opts<{ json?: boolean }>().json) console.log(JSON.stringify(answer));
      else printRows(answer);
      done(EXIT.done);
    });
  }
  return lineage;
}

async function walk(db: Queryable, runId: number, id: string, way: 'up' | 'down'): Promise<unknown> {
  const episodes = await import('../../lineage/postgres/queries.ts');
  const checkpoints = await import('../../lineage/postgres/checkpoint-queries.ts');
  const isCheckpoint = (await episodes.findThings(db, runId, id)).some(({ kind }) => kind === 'checkpoint');
  if (isCheckpoint) {
    return way === 'up'
      ? checkpoints.ancestorsOfCheckpoint(db, runId, id)
      : checkpoints.descendantsOfCheckpoint(db, runId, id);
  }
  if (way === 'up') return episodes.ancestorsOfTrajectory(db, runId, id);
  const { episodes: rewrites, truncated } = await episodes.descendantsOfTrajectory(db, runId, id);
  return { rewrites, truncated, checkpoints: await checkpoints.checkpointsTrainedOn(db, runId, id) };
}

/** One line a row, `key value` pairs; digests short. */
function printRows(answer: unknown, indent = ''): void {
  if (Array.isArray(answer)) {
    if (answer.length === 0) console.log(`${indent}nothing`);
    for (const row of answer) console.log(indent + lineOf(row));
  } else if (typeof answer === 'object' && answer !== null) {
    for (const [key, value] of Object.entries(answer)) {
      if (typeof value === 'object') {
        console.log(`${indent}${key}:`);
        printRows(value, `${indent}  `);
      } else console.log(`${indent}${key}: ${String(value)}`);
    }
  }
}

function lineOf(row: unknown): string {
  return Object.entries(row as Record<string, unknown>)
    .filter(([key, value]) => value !== null && key !== 'id' && key !== 'measures')
    .map(([key, value]) => `${key} ${wordOf(value)}`)
    .join('  ');
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value;
  return JSON.stringify(value);
}
