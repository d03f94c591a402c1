/**
 * The hash chain of a run, recomputed: hash = sha256(prev || seq as 8 bytes || kind || 0x00 || body), sequence dense from
 * 1, each `prev` the former hash, the first sha256('rsi/v1/' || run id). An edit, a gap, an insertion and a swap break it
 * at that event; a cut tail does not (see the expected head in audit-run.ts).
 */
import { sha256 } from '../canonical.ts';
import type { Queryable } from '../postgres/connection.ts';

export interface ChainEvent {
  readonly seq: number;
  readonly kind: string;
  readonly body: string;
  readonly prev: Buffer;
  readonly hash: Buffer;
  readonly recordId: number | null;
}

export interface CheckedChain {
  readonly events: number;
  /** The last hash; of an empty chain, where it would begin. */
  readonly head: string;
  /** Hash of the event with the sequence number asked for. */
  readonly at: string | null;
  readonly firstBad: { readonly what: string; readonly where: string } | null;
}

const PAGE = 1_000;

/** All events in order, page by page. */
export async function* eventsOf(db: Queryable, runId: number): AsyncGenerator<ChainEvent> {
  for (let after = 0; ;) {
    const { rows } = await db.query<ChainEvent>(
      `select seq, kind, body, prev, hash, record_id as "recordId" from rsi.event
       where run_id = $1 and seq > $2 order by seq limit ${PAGE}`,
      [runId, after],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

export async function checkChain(db: Queryable, runId: number, asked: number | null): Promise<CheckedChain> {
  let head = sha256(`rsi/v1/${runId}`);
  let events = 0;
  let at: string | null = null;
  let firstBad: CheckedChain['firstBad'] = null;
  for await (const { seq, kind, body, prev, hash } of eventsOf(db, runId)) {
    const wrong = (what: string): void => {
      firstBad ??= { what, where: `event ${seq}` };
    };
    if (seq !== events + 1) wrong(`events ${events + 1} to ${seq - 1} are missing before it`);
    if (!prev.equals(head)) wrong('it does not follow from the event before it');
    if (!hash.equals(hashOf({ seq, kind, body, prev }))) wrong('its hash is not that of its content');
    events += 1;
    head = hash;
    if (seq === asked) at = hash.toString('hex');
  }
  return { events, head: head.toString('hex'), at, firstBad };
}

function hashOf({ seq, kind, body, prev }: Pick<ChainEvent, 'seq' | 'kind' | 'body' | 'prev'>): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(seq));
  return sha256(prev, number, kind, '\0', body);
}
