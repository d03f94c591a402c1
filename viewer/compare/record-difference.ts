/**
 * Where two runs part: the first record, in the order in which the left run stored it, that the other has not or has
 * otherwise. In that order whatever comes before is equal, so it is where the cause is to be looked for. Clocks and
 * durations do not count, as in the content head.
 */
import { digestOf } from '../../contracts/digest.ts';
import { placeName, type StoredRecord } from '../../contracts/run-store.ts';

export interface RecordDifference {
  readonly place: string;
  readonly kind: string;
  readonly what: 'content' | 'uses' | 'files' | 'only left' | 'only right';
  /** Dotted, into the content: the first value that differs; null unless the content does. */
  readonly key: string | null;
}

export interface RecordComparison {
  /** Places with equal records. */
  readonly same: number;
  readonly different: number;
  readonly onlyLeft: number;
  readonly onlyRight: number;
  readonly first: RecordDifference | null;
}

export function compareRecords(left: readonly StoredRecord[], right: readonly StoredRecord[]): RecordComparison {
  const others = byPlace(right);
  const differences: RecordDifference[] = [];
  for (const record of left) {
    const other = others.get(placeName(record.place));
    const difference = other === undefined ? found(record, 'only left') : differenceOf(record, other);
    if (difference !== null) differences.push(difference);
  }
  const own = byPlace(left);
  const added = right.filter(({ place }) => !own.has(placeName(place)));
  const onlyLeft = differences.filter(({ what }) => what === 'only left').length;
  const [extra] = added;
  return {
    same: left.length - differences.length,
    different: differences.length - onlyLeft,
    ...{ onlyLeft, onlyRight: added.length },
    first: differences[0] ?? (extra === undefined ? null : found(extra, 'only right')),
  };
}

function byPlace(records: readonly StoredRecord[]): Map<string, StoredRecord> {
  return new Map(records.map((record) => [placeName(record.place), record]));
}

function differenceOf(left: StoredRecord, right: StoredRecord): RecordDifference | null {
  if (digestOf(left.content) !== digestOf(right.content)) {
    return found(left, 'content', firstKey(left.content, right.content));
  }
  if (digestOf(left.uses) !== digestOf(right.uses)) return found(left, 'uses');
  return digestOf(left.blobs) === digestOf(right.blobs) ? null : found(left, 'files');
}

function found(record: StoredRecord, what: RecordDifference['what'], key: string | null = null): RecordDifference {
  return { place: placeName(record.place), kind: record.content.kind, what, key };
}

/** Both are JSON. */
function firstKey(left: unknown, right: unknown, path = ''): string | null {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return Object.is(left, right) ? null : path;
  }
  const [ones, others] = [left as Record<string, unknown>, right as Record<string, unknown>];
  for (const key of new Set([...Object.keys(ones), ...Object.keys(others)])) {
    const inner = firstKey(ones[key], others[key], path === '' ? key : `${path}.${key}`);
    if (inner !== null) return inner;
  }
  return null;
}
