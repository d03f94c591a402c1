/**
 * Puts a local run together: the backend, the run folder, and the context that the loop is given. The durable workers do
 * the same with their own storage; training/ knows of neither.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import { openFolderStore, type FolderStore, type FolderStoreOptions } from '../lineage/folder-store.ts';
import { openBackend, type Backend } from '../model/backend.ts';
import { assertModelConfig } from '../model/model-config.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from '../training/context.ts';
import { modelConfigOf, openLoop } from '../training/open-loop.ts';
import type { ProgressEvent } from '../training/progress-event.ts';

export interface LocalSession {
  readonly context: LoopContext;
  readonly backend: Backend;
  readonly store: FolderStore;
  close(): Promise<void>;
}

export async function openLocalSession(
  config: RunConfig,
  folder: string,
  report: (event: ProgressEvent) => void,
  signal: AbortSignal,
  options: FolderStoreOptions = {},
): Promise<LocalSession> {
  assertModelConfig(modelConfigOf(config, openTokenizer()));
  // The folder is locked last: nothing after it fails in the ordinary.
  const backend = await openBackend();
  const store = await openFolderStore(folder, options);
  const loop = await openLoop({ config, backend, store, report, signal });
  return {
    ...{ backend, store, context: loop.context },
    close: async () => {
      await loop.close();
      await store.close();
    },
  };
}
