/**
 * The content head of a run: one digest over what was computed and where it belongs. Clocks, durations and the order of
 * writing stay out, so that two runs of one seed compare equal, whatever store holds them.
 */
import { digestOf, type Digest } from '../contracts/digest.ts';
import { comparePlaces, placeName, type StoredRecord } from '../contracts/run-store.ts';

export function contentHeadOf(records: readonly StoredRecord[]): Digest {
  const ordered = [...records].sort((a, b) => comparePlaces(a.place, b.place));
  return digestOf(
    ordered.map((record) => [placeName(record.place), digestOf(record.content), record.uses, record.blobs]),
  );
}
