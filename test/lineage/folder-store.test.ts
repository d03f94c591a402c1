/** The folder store keeps the RunStore's promises, and what it does with damage, locks and folders it cannot have. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { blobPath } from './blob-path.ts';
import type { Place, StoredRecord } from '../../contracts/run-store.ts';
import { openFolderStore, type FolderStore } from '../../lineage/folder-store.ts';
import { aPlace, aRecord, runStoreContract, type OpenedStore, type TestContent } from './run-store-contract.ts';

const root = await mkdtemp(join(tmpdir(), 'folder-store-'));
after(() => rm(root, { recursive: true }));

let folders = 0;
function aFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

function opened(store: FolderStore): OpenedStore {
  return {
    store,
    close: () => store.close(),
    reopen: async () => {
      await store.close();
      return opened(await openFolderStore(store.folder));
    },
  };
}

runStoreContract('folder', async () => opened(await openFolderStore(aFolder())));

const at = (iteration: number): Place => aPlace({ iteration });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A folder with four records, each with a blob of its own; closed. */
async function fourRecords(): Promise<{ folder: string; digests: string[] }> {
  const folder = aFolder();
  const store = await openFolderStore(folder);
  const digests: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    const digest = await store.putBlob(bytesOf(`weights ${i}`));
    digests.push(digest);
    await store.write(aRecord(at(i), i, [digest]));
  }
  await store.close();
  return { folder, digests };
}

function numbersOf(records: readonly StoredRecord[]): number[] {
  return records.map(({ content }) => (content as TestContent).value as number);
}

async function numbersIn(folder: string): Promise<{ numbers: number[]; repairs: readonly string[] }> {
  const store = await openFolderStore(folder);
  const numbers = numbersOf(await store.list());
  await store.close();
  return { numbers, repairs: store.repairs };
}

test('a line torn by a kill is no record: at every length, what was whole before stays', async () => {
  const { folder } = await fourRecords();
  const log = await readFile(join(folder, 'log.jsonl'));
  const starts = [0, ...[...log.entries()].flatMap(([i, byte]) => (byte === 0x0a ? [i + 1] : []))];
  for (let length = 0; length <= log.length; length += 13) {
    await writeFile(join(folder, 'log.jsonl'), log.subarray(0, length));
    const whole = starts.filter((start) => start <= length).length - 1;
    const { numbers, repairs } = await numbersIn(folder);
    assert.deepEqual(numbers, [0, 1, 2, 3].slice(0, whole), `${length} bytes`);
    assert.deepEqual(repairs, []);
    assert.deepEqual(await readFile(join(folder, 'log.jsonl')), log.subarray(0, starts[whole]));
  }
});

test('a torn line is written again by who goes on', async () => {
  const { folder } = await fourRecords();
  await appendFile(join(folder, 'log.jsonl'), '{"place":{"generation":1,"stag');
  const store = await openFolderStore(folder);
  await store.write(aRecord(at(4), 4));
  await store.close();
  assert.deepEqual(await numbersIn(folder), { numbers: [0, 1, 2, 3, 4], repairs: [] });
});

test('a corrupt blob drops its record and all later ones, says so, and the run goes on from the one before', async () => {
  const { folder, digests } = await fourRecords();
  const path = blobPath(folder, digests[2] as string);
  // Same length: only the digest can tell.
  await writeFile(path, 'weights X');
  const store = await openFolderStore(folder);
  assert.equal(store.repairs.length, 1);
  assert.match(
    store.repairs[0] ?? '',
    /^g001\/s01\/rollout\/002-000: stored file [0-9a-f]{12} is corrupt .*the record before it \(2 of 4 dropped; the whole log is kept as log\.damaged-\d+\.jsonl\)$/,
  );
  assert.deepEqual(numbersOf(await store.list()), [0, 1]); // prettier-ignore
  assert.equal(await store.read(at(2)), null);
  // The work is done again and gives the same blob, which must now be whole.
  assert.equal(await store.putBlob(bytesOf('weights 2')), digests[2]);
  await store.write(aRecord(at(2), 2, [digests[2] as string]));
  await store.close();
  assert.deepEqual(await numbersIn(folder), { numbers: [0, 1, 2], repairs: [] });
  // What was cut off is kept beside the log.
  const kept = (await readdir(folder)).filter((name) => name.startsWith('log.damaged-'));
  assert.equal(kept.length, 1);
  assert.match(await readFile(join(folder, kept[0] as string), 'utf8'), /"value":3/);
});

const WITHOUT_KIND = JSON.stringify({ ...aRecord(at(2), 2), content: null });

test('a blob that is gone, and lines that are no records, drop what follows', async () => {
  const { folder, digests } = await fourRecords();
  await rm(blobPath(folder, digests[1] as string));
  const gone = await numbersIn(folder);
  assert.deepEqual(gone.numbers, [0]);
  assert.match(gone.repairs[0] ?? '', /cannot be read; going on/);
  for (const line of [
    '{',
    'null',
    '7',
    '[]',
    '{}',
    '{"place":{}}',
    '{"place":null,"content":1,"blobs":[]}',
    WITHOUT_KIND,
    '\xff',
  ]) {
    const other = await fourRecords();
    const log = (await readFile(join(other.folder, 'log.jsonl'), 'latin1')).split('\n');
    log[2] = line;
    await writeFile(join(other.folder, 'log.jsonl'), log.join('\n'), 'latin1');
    const { numbers, repairs } = await numbersIn(other.folder);
    assert.deepEqual(numbers, [0, 1], line);
    assert.match(repairs[0] ?? '', /^record 3 of the log is not readable; going on/);
  }
});

test('a folder in use by a living process is refused with its pid; that of a dead one is taken over', async () => {
  const { folder } = await fourRecords();
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  await writeFile(join(folder, 'lock'), String(holder.pid));
  await assert.rejects(openFolderStore(folder), {
    ...{ boundary: 'storage', retryable: false, message: new RegExp(`in use by process ${holder.pid};.*--out`) },
  });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.deepEqual((await numbersIn(folder)).numbers, [0, 1, 2, 3]);
});

test('a lock left by a dead process of our own pid, an empty or a senseless one is taken over', async () => {
  const { folder } = await fourRecords();
  const dead = spawnSync(process.execPath, ['-e', '']);
  for (const text of [String(process.pid), String(dead.pid), '', 'x', '-1', '0']) {
    await writeFile(join(folder, 'lock'), text);
    assert.deepEqual((await numbersIn(folder)).numbers, [0, 1, 2, 3], text);
  }
  assert.deepEqual((await readdir(folder)).sort(), ['blobs', 'log.jsonl']);
});

test('the same process does not open a folder twice, and may after closing', async () => {
  const folder = aFolder();
  const store = await openFolderStore(folder);
  await assert.rejects(openFolderStore(folder), { boundary: 'storage', message: /in use by this process/ });
  await store.write(aRecord(at(0), 0));
  await store.close();
  await store.close();
  assert.deepEqual((await numbersIn(folder)).numbers, [0]);
});

test('a folder that cannot be made is refused in one line that names it', async () => {
  const file = join(root, 'a-file');
  await writeFile(file, '');
  // Below a file nobody can make a folder, not even root.
  for (const folder of [join(file, 'run'), file]) {
    await assert.rejects(openFolderStore(folder), (error: Error & { boundary?: string }) => {
      assert.equal(error.boundary, 'storage');
      assert.match(error.message, /^run folder .*a-file.* cannot be written \(E[A-Z]+\); choose another with --out$/);
      return true;
    });
  }
});

test('a log that cannot be read is no empty run', async () => {
  const folder = aFolder();
  await mkdir(join(folder, 'log.jsonl'), { recursive: true });
  await assert.rejects(openFolderStore(folder), {
    boundary: 'storage',
    message: /log\.jsonl cannot be read \(EISDIR\)/,
  });
  await rm(join(folder, 'log.jsonl'), { recursive: true });
  await (await openFolderStore(folder)).close();
});

test('a closed store takes no record', async () => {
  const store = await openFolderStore(aFolder());
  await store.close();
  await assert.rejects(async () => store.write(aRecord(at(0), {})), { boundary: 'storage', message: /is closed/ });
});

test('who only looks mends nothing, needs no lock and writes nothing', async () => {
  const { folder, digests } = await fourRecords();
  const owner = await openFolderStore(folder);
  await writeFile(blobPath(folder, digests[3] as string), 'damaged');
  const before = await readFile(join(folder, 'log.jsonl'), 'utf8');
  const reader = await openFolderStore(folder, { readOnly: true });
  assert.match(reader.repairs[0] ?? '', /is corrupt .*\(1 of 4 dropped\)$/);
  assert.deepEqual(numbersOf(await reader.list()), [0, 1, 2]);
  assert.throws(() => reader.write(aRecord(at(9), 9, [])), /open for reading only/);
  await reader.close();
  assert.equal(await readFile(join(folder, 'log.jsonl'), 'utf8'), before);
  await owner.close();
});
