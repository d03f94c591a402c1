/**
 * What this program makes in a home folder, by name and kind. Whatever else lies there is somebody's: it is kept, as is
 * every symbolic link, and the folders around it.
 */
export type Owned =
  | { readonly kind: 'file' }
  /** Whole, once the marker is in it: its inside is another program's. */
  | { readonly kind: 'tree'; readonly marker: string | null }
  | { readonly kind: 'folder'; readonly entries: readonly OwnedEntry[]; readonly marker?: RegExp };

export type OwnedEntry = readonly [name: RegExp, owned: Owned];

const FILE: Owned = { kind: 'file' };

/** lineage/blobs/blob-folder.ts */
const BLOBS: Owned = {
  kind: 'folder',
  entries: [[/^[0-9a-f]{2}$/, { kind: 'folder', entries: [[/^[0-9a-f]{64}(\.[0-9a-f]{12}\.tmp)?$/, FILE]] }]],
};

/** A bare run (cli/run-folder.ts, lineage/folder-store.ts), or the report of a durable one; other folders are not ours. */
const RUN: Owned = {
  kind: 'folder',
  marker: /^(log\.jsonl|run\.json|report\.json)$/,
  entries: [
    [/^(log\.jsonl|run\.json|report\.json|report\.html|lock|lock\.\d+|log\.damaged-\d+\.jsonl)$/, FILE],
    [/^blobs$/, BLOBS],
  ],
};

/** infra/postgres/data-folder.ts; locks as infra/native/lock.ts names them. */
export const DATABASE: Owned = {
  kind: 'folder',
  entries: [
    [/^data$/, { kind: 'tree', marker: 'PG_VERSION' }],
    // Of a start that was killed: initdb may have written little.
    [/^data\.new-\d+$/, { kind: 'tree', marker: null }],
    [/^(password|server\.log|owner|given-\d+|lock|lock\.\d+-[0-9a-f]{8}|lock\.stale-[0-9a-f]{8})$/, FILE],
  ],
};

export type PartName = 'database' | 'history' | 'runs' | 'files' | 'logs' | 'cache' | 'notes';

export interface OwnedPart {
  readonly part: PartName;
  readonly name: RegExp;
  readonly owned: Owned;
}

export const HOME: readonly OwnedPart[] = [
  { part: 'database', name: /^postgres$/, owned: DATABASE },
  { part: 'history', name: /^temporal\.db(-wal|-shm|-journal)?$/, owned: FILE },
  { part: 'runs', name: /^runs$/, owned: { kind: 'folder', entries: [[/./, RUN]] } },
  { part: 'files', name: /^blobs$/, owned: BLOBS },
  {
    ...{ part: 'logs', name: /^logs$/ },
    owned: { kind: 'folder', entries: [[/^(control|sandbox|gpu|temporal)\.log(\.\d+)?$/, FILE]] },
  },
  {
    ...{ part: 'cache', name: /^cache$/ },
    owned: { kind: 'folder', entries: [[/^workflows-[0-9a-f]{16}\.js(\.\d+)?$/, FILE]] },
  },
  {
    ...{ part: 'notes', owned: FILE },
    name: /^(stack\.json|temporal\.json|temporal\.lock(\.\d+-[0-9a-f]{8}|\.stale-[0-9a-f]{8})?)$/,
  },
];
