/**
 * What every RunStore promises, as tests over a way to open one: the folder store runs them here, Postgres later. A
 * store that is opened again at the same place must show what was stored before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  placeName,
  type Content,
  type Place,
  type RunStore,
  type StoredRecord,
  type Use,
} from '../../contracts/run-store.ts';

export interface OpenedStore {
  readonly store: RunStore;
  /** Closes it, and opens what it left behind anew. */
  readonly reopen: () => Promise<OpenedStore>;
  readonly close: () => Promise<void>;
}

export function aPlace(place: Partial<Place> = {}): Place {
  return { generation: 1, stageIndex: 0, step: 'rollout', iteration: 0, group: 0, ...place };
}

export interface TestContent extends Content {
  readonly value: unknown;
}

export function aRecord(
  place: Place,
  value: unknown,
  blobs: readonly string[] = [],
  uses: readonly Use[] = [],
): StoredRecord<TestContent> {
  return { place, content: { kind: 'test', value }, uses, blobs, seconds: 0.5, elapsed: 2 };
}

export function runStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  const withStore = async (work: (opened: OpenedStore) => Promise<OpenedStore | void>): Promise<void> => {
    const opened = await open();
    const last = (await work(opened)) ?? opened;
    await last.close();
  };

  test(`${name}: what is written is read again, also after opening anew`, () =>
    withStore(async (opened) => {
      const uses = [{ role: 'policy', digest: 'ab' }];
      const record = {
        ...aRecord(aPlace(), { mean: 0.25, ids: ['a', 'b'], nothing: null }, [], uses),
        ...{ storage: 0.125, played: { seconds: 1.5, sandbox: 0.5 } },
      };
      assert.equal(await opened.store.read(aPlace()), null);
      assert.deepEqual(await opened.store.write(record), record);
      assert.deepEqual(await opened.store.read(aPlace()), record);
      const again = await opened.reopen();
      assert.deepEqual(await again.store.read(aPlace()), record);
      assert.deepEqual(await again.store.list(), [record]);
      return again;
    }));

  test(`${name}: a place is written once; the first record stays`, () =>
    withStore(async ({ store }) => {
      const first = await store.write(aRecord(aPlace(), { take: 1 }));
      assert.deepEqual(await store.write(aRecord(aPlace(), { take: 2 })), first);
      assert.deepEqual(await store.read(aPlace()), first);
      assert.equal((await store.list()).length, 1);
    }));

  test(`${name}: places that differ in one part alone are different`, () =>
    withStore(async ({ store }) => {
      const places = [
        aPlace(),
        aPlace({ generation: 2 }),
        aPlace({ stageIndex: -1 }),
        aPlace({ step: 'rollout-probe' }),
        aPlace({ iteration: 1 }),
        aPlace({ group: 1 }),
      ];
      for (const place of places) await store.write(aRecord(place, placeName(place)));
      for (const place of places) assert.equal((await store.read<TestContent>(place))?.content.value, placeName(place));
      assert.deepEqual((await store.list()).map(({ place }) => place), places); // prettier-ignore
    }));

  test(`${name}: blobs are named by their content and come back byte for byte`, () =>
    withStore(async (opened) => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
      const digest = await opened.store.putBlob(bytes);
      assert.match(digest, /^[0-9a-f]{64}$/);
      assert.equal(await opened.store.putBlob(bytes.slice()), digest);
      assert.notEqual(await opened.store.putBlob(bytes.subarray(1)), digest);
      assert.notEqual(await opened.store.putBlob(new Uint8Array(0)), digest);
      const again = await opened.reopen();
      assert.deepEqual(Uint8Array.from(await again.store.getBlob(digest)), bytes);
      await assert.rejects(again.store.getBlob('0'.repeat(64)), { boundary: 'storage' });
      return again;
    }));

  test(`${name}: the content head knows contents and places, not the order of writing nor clocks`, async () => {
    const place = fc.record({
      generation: fc.integer({ min: 0, max: 3 }),
      stageIndex: fc.integer({ min: -1, max: 2 }),
      step: fc.constantFrom('rollout', 'policy-update', 'gates'),
      iteration: fc.integer({ min: 0, max: 2 }),
      group: fc.integer({ min: 0, max: 2 }),
    });
    const entries = fc.uniqueArray(fc.record({ place, content: fc.jsonValue() }), {
      ...{ selector: (entry) => placeName(entry.place), minLength: 1, maxLength: 12 },
    });
    const headOf = async (records: readonly StoredRecord<TestContent>[]): Promise<string> => {
      const { store, close } = await open();
      for (const record of records) await store.write(record);
      const head = await store.contentHead();
      await close();
      return head;
    };
    await fc.assert(
      fc.asyncProperty(entries, fc.integer({ min: 0, max: 100 }), async (list, shift) => {
        const records = list.map((entry) => aRecord(entry.place, JSON.parse(JSON.stringify(entry.content)) as unknown));
        const head = await headOf(records);
        const moved = [...records.slice(shift % records.length), ...records.slice(0, shift % records.length)];
        const clocks = {
          ...{ seconds: shift, elapsed: shift * 3, storage: shift / 7 },
          played: { seconds: shift, sandbox: shift / 3 },
        };
        assert.equal(await headOf(moved.map((record) => ({ ...record, ...clocks }))), head);
        const [first, ...others] = records as [StoredRecord<TestContent>, ...StoredRecord<TestContent>[]];
        assert.notEqual(
          await headOf([{ ...first, content: { kind: 'test', value: { other: true } } }, ...others]),
          head,
        );
        assert.notEqual(await headOf([{ ...first, place: { ...first.place, generation: 9 } }, ...others]), head);
        assert.notEqual(await headOf([{ ...first, uses: [{ role: 'policy', digest: 'ab' }] }, ...others]), head);
        assert.notEqual(await headOf(others), head);
      }),
      { numRuns: 15 },
    );
  });
}
