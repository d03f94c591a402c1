import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentHeadOf } from '../../lineage/content-head.ts';
import type { Content, RunStore, StoredRecord } from '../../contracts/run-store.ts';
import { timedStore } from '../../training/timed-store.ts';

/** Every call takes `ms`. */
function slowStore(ms: number): RunStore & { readonly records: StoredRecord[] } {
  const records: StoredRecord[] = [];
  const slowly = <T>(value: T): Promise<T> => sleep(ms).then(() => value);
  return {
    records,
    read: () => slowly(null),
    write: <T extends Content>(record: StoredRecord<T>) => {
      records.push(record);
      return slowly(record);
    },
    list: () => slowly(records),
    putBlob: () => slowly('digest'),
    getBlob: () => slowly(new Uint8Array()),
    contentHead: () => slowly(contentHeadOf(records)),
  };
}

const aRecord = (iteration: number): StoredRecord => ({
  place: { generation: 0, stageIndex: 0, step: 'rollout', iteration, group: 0 },
  ...{ content: { kind: 'test' }, uses: [], blobs: [], seconds: 1, elapsed: 1 },
});

test('a record tells how long storage was waited for since the one before, calls beside each other once', async () => {
  const slow = slowStore(50);
  const store = timedStore(slow);
  await Promise.all([store.getBlob('a'), store.getBlob('b'), store.getBlob('c')]);
  await store.write(aRecord(0));
  await sleep(80);
  await store.write(aRecord(1));
  const [first, second] = slow.records.map(({ storage = 0 }) => storage);
  // Three reads at once; then the writing of the first record, and nothing of what went on besides.
  for (const storage of [first, second]) assert.ok(storage !== undefined && storage > 0.045 && storage < 0.095, String(storage)); // prettier-ignore
});

test('the digest of what was computed knows nothing of it, and a failed call ends its time', async () => {
  const slow = slowStore(1);
  const store = timedStore({ ...slow, getBlob: () => Promise.reject(new Error('gone')) });
  await assert.rejects(store.getBlob('a'), /gone/);
  await sleep(60);
  await store.write(aRecord(0));
  assert.ok((slow.records[0]?.storage ?? 1) < 0.05);
  assert.equal(await store.contentHead(), contentHeadOf([aRecord(0)]));
});
