/**
 * A store that notes in each record how long storage was waited for since the record before. Where a store is handed to
 * the loop it is put between; a record's own writing, which it cannot hold, shows in the next one.
 */
import { openBusyClock } from '../contracts/busy-clock.ts';
import type { Content, Place, RunStore, StoredRecord } from '../contracts/run-store.ts';

export function timedStore(store: RunStore): RunStore {
  const clock = openBusyClock();
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    clock.begin();
    try {
      return await work();
    } finally {
      clock.end();
    }
  };
  return {
    read: <T extends Content>(place: Place) => timed(() => store.read<T>(place)),
    write: <T extends Content>(record: StoredRecord<T>) => {
      const storage = clock.take();
      return timed(() => store.write({ ...record, storage }));
    },
    list: () => timed(() => store.list()),
    putBlob: (bytes) => timed(() => store.putBlob(bytes)),
    getBlob: (digest) => timed(() => store.getBlob(digest)),
    contentHead: () => timed(() => store.contentHead()),
  };
}
