/**
 * What the loop asks of storage: write-once records at logical places, and blobs by digest. The loop is told as a
 * sequence of `once(place, compute)`, so a run that was killed repeats the story and finds what it had done.
 * Implementations: lineage/folder-store.ts (a plain folder); Postgres comes behind the same port.
 */
import type { Digest } from './digest.ts';

/**
 * Where in the run something belongs: (generation, stage index, step, iteration, group). Never a clock, an attempt or
 * a host. Compared in this order, places give the logical order of the run.
 */
export interface Place {
  readonly generation: number;
  /** Position in the generation's stages; what precedes the first stage has -1, what follows the last has the count. */
  readonly stageIndex: number;
  /** What is done there: 'rollout', 'policy-update', 'decision', ... */
  readonly step: string;
  readonly iteration: number;
  readonly group: number;
}

/** Something stored earlier that a piece of work read: an edge of the lineage. */
export interface Use {
  /** What it was read as: 'policy', 'parent', 'fitted', 'probe', ... */
  readonly role: string;
  /** Of a stored checkpoint or group. */
  readonly digest: Digest;
}

/** Every record's content says what it is. */
export interface Content {
  readonly kind: string;
}

/** How long episodes were played: clocks, which nothing that is computed knows of. */
export interface PlayingTime {
  /** Seconds in which they were played, added up over the processes that played. */
  readonly seconds: number;
  /** Seconds in which sandboxes executed their commands and probed their checks, added up over threads and processes. */
  readonly sandbox: number;
}

/** A stored record: JSON content that counts, and circumstances (clock, duration) that do not. */
export interface StoredRecord<T extends Content = Content> {
  readonly place: Place;
  readonly content: T;
  readonly uses: readonly Use[];
  /** Digests of the blobs that the content refers to; a record with a damaged blob does not exist. */
  readonly blobs: readonly Digest[];
  /** How long the work took, in seconds. */
  readonly seconds: number;
  /** Active seconds of the run when it was stored, over all its sessions. */
  readonly elapsed: number;
  /** Of a group: how long it was played. */
  readonly played?: PlayingTime;
  /** Seconds in which storage was waited for since the record before; left out where nobody measured. */
  readonly storage?: number;
}

export interface RunStore {
  read<T extends Content>(place: Place): Promise<StoredRecord<T> | null>;
  /** Writes a record whole or not at all; a place that is taken keeps what it has. */
  write<T extends Content>(record: StoredRecord<T>): Promise<StoredRecord<T>>;
  /** All records in the order they were written. */
  list(): Promise<readonly StoredRecord[]>;
  putBlob(bytes: Uint8Array): Promise<Digest>;
  getBlob(digest: Digest): Promise<Uint8Array>;
  /** Digest over the contents in logical order: what two runs of one seed are compared by. */
  contentHead(): Promise<Digest>;
}

/** Active seconds of a run by its records. */
export function elapsedOf(records: readonly Pick<StoredRecord, 'elapsed'>[]): number {
  return records.reduce((latest, { elapsed }) => Math.max(latest, elapsed), 0);
}

/** "g02/s1/rollout/003-00": sorts as the tuple does within a step. */
export function placeName(place: Place): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, '0');
  return `g${pad(place.generation, 3)}/s${pad(place.stageIndex + 1, 2)}/${place.step}/${pad(place.iteration, 3)}-${pad(place.group, 3)}`;
}

export function comparePlaces(a: Place, b: Place): number {
  return (
    a.generation - b.generation ||
    a.stageIndex - b.stageIndex ||
    (a.step < b.step ? -1 : a.step > b.step ? 1 : 0) ||
    a.iteration - b.iteration ||
    a.group - b.group
  );
}
