/**
 * The one thing that a question of `rsi lineage` is about: the first characters of a digest are searched in all runs. In
 * several of them it is the newest run's; the others are named, and `--run` takes one of them.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import { findInRuns, type FoundThing } from '../../lineage/postgres/find-in-runs.ts';
import { findLineageRun } from '../lineage-database.ts';

export interface Subject extends FoundThing {
  /** Other runs that hold it, newest first. */
  readonly alsoIn: readonly { readonly run: number; readonly workflowId: string }[];
}

export interface Asked {
  readonly prefix: string;
  readonly run?: string | undefined;
  /** What the question can be about. */
  readonly kinds: readonly FoundThing['kind'][];
}

/** Candidates that one line can hold. */
const NAMED = 5;

export async function findSubject(db: Queryable, { prefix: typed, run, kinds }: Asked): Promise<Subject> {
  const prefix = typed.toLowerCase();
  const runId = run === undefined ? null : (await findLineageRun(db, run)).id;
  const found = await findInRuns(db, prefix, runId);
  const fitting = found.filter(({ kind }) => kinds.includes(kind));
  const refuse = (problem: string): never => {
    throw new Failure('lineage', problem, { subject: prefix });
  };
  const where = run === undefined ? 'in this database' : `in run ${run}`;
  const [newest] = fitting;
  if (newest === undefined) {
    const [other] = found;
    if (other !== undefined) refuse(`${prefix} is a ${other.kind}; this asks about a ${kinds.join(' or a ')}`);
    return refuse(`nothing ${where} begins with ${prefix}; \`rsi report\` and \`rsi lineage data\` print names`);
  }
  const names = new Map(fitting.map(({ digest, kind }) => [digest, kind]));
  if (names.size > 1) {
    const shown = [...names].slice(0, NAMED).map(([digest, kind]) => `${kind} ${digest.slice(0, 16)}`);
    const more = names.size > NAMED ? ` and ${names.size - NAMED} more` : '';
    refuse(`${prefix} is the beginning of ${names.size} names ${where}: ${shown.join(', ')}${more}; give more of it`);
  }
  const alsoIn = fitting.slice(1).map(({ runId: id, workflowId }) => ({ run: id, workflowId }));
  return { ...newest, alsoIn };
}

/** Null where there is nothing to say. */
export function alsoInLine({ digest, runId, alsoIn }: Subject): string | null {
  if (alsoIn.length === 0) return null;
  const others = alsoIn.slice(0, NAMED).map(({ run, workflowId }) => `${run} (${workflowId})`);
  const more = alsoIn.length > NAMED ? ` and ${alsoIn.length - NAMED} more` : '';
  return `${digest.slice(0, 12)} as in run ${runId}; also in ${others.join(', ')}${more} (--run takes another)`;
}
