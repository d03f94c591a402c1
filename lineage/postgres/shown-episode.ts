/**
 * An episode as a person reads it: the task, every command with what the terminal showed, each check before and after.
 * `rsi lineage show` and `diff` print it.
 */
import type { Digest } from '../../contracts/digest.ts';
import type { Queryable } from './connection.ts';
import { findThing, type Episode } from './queries.ts';

export interface ShownCheck {
  readonly name: string;
  readonly weight: number;
  /** Of the untouched task; null: not probed. */
  readonly before: number | null;
  /** At the end; null: no verdict. */
  readonly after: number | null;
}

export interface ShownTurn {
  readonly command: string;
  readonly observation: string;
  readonly exitCode: number;
  readonly checks: readonly number[];
}

export interface ShownEpisode extends Omit<Episode, 'depth' | 'turns' | 'accepted' | 'gate'> {
  readonly parent: Digest | null;
  readonly instruction: string;
  readonly endedBy: string | null;
  readonly failure: string | null;
  readonly checks: readonly ShownCheck[];
  readonly turns: readonly ShownTurn[];
}

interface Row extends Omit<ShownEpisode, 'checks' | 'turns'> {
  readonly taskBody: string;
  readonly weights: readonly number[];
}

export async function readShownEpisode(db: Queryable, runId: number, prefix: string): Promise<ShownEpisode> {
  const { id } = await findThing(db, runId, 'trajectory', prefix);
  const episodes = await db.query<Row>(
    `select e.digest, e.place, e.purpose, e.split, e.family, e.task, e.policy, e.mode, e.strict, e.progress,
       encode(p.digest, 'hex') as parent, k.instruction, e.ended_by as "endedBy", t.failure, k.body as "taskBody",
       k.check_weights as weights
     from rsi.trajectory t join rsi.task k on k.id = t.task_id left join rsi.trajectory p on p.id = t.parent_id
     -- A candidate that was judged twice stands twice in the view.
     join lateral (select * from rsi.episode where id = t.id limit 1) e on true where t.id = $1`,
    [id],
  );
  const turns = await db.query<ShownTurn>(
    `select command, observation, exit_code as "exitCode", checks from rsi.turn where trajectory_id = $1 order by number`,
    [id],
  );
  const checks = await db.query<{ before: number | null; after: number | null }>(
    `select initial as before, final as after from rsi.check_result where trajectory_id = $1 order by ordinal`,
    [id],
  );
  const { taskBody, weights, ...episode } = episodes.rows[0] as Row;
  const { checks: named } = JSON.parse(taskBody) as { checks: readonly { name?: string }[] };
  return {
    ...episode,
    turns: turns.rows,
    checks: weights.map((weight, i) => ({
      ...{ name: named[i]?.name ?? `check ${i + 1}`, weight },
      ...{ before: checks.rows[i]?.before ?? null, after: checks.rows[i]?.after ?? null },
    })),
  };
}
