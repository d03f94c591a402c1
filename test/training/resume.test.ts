/** A run that was stopped or killed at any moment, and told to go on, ends with the head of one left alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Interrupted } from '../../training/context.ts';
import { randomStream } from '../../rl/random-stream.ts';
import { blobPath } from '../lineage/blob-path.ts';
import { resumeConfig } from './resume-config.ts';
import { recordsIn } from './stored-groups.ts';
import { copyOf, tinyFolder, tinyRun, type TinyRun } from './tiny-run.ts';

let undisturbed: TinyRun;

before(async () => {
  undisturbed = await tinyRun(resumeConfig());
});

/** Runs until `count` more events were heard; true when the run came to its end before that. */
async function runFor(folder: string, count: number): Promise<string | null> {
  const stop = new AbortController();
  let heard = 0;
  const report = (): void => {
    heard += 1;
    if (heard >= count) stop.abort();
  };
  try {
    return (await tinyRun(resumeConfig(), { folder, signal: stop.signal, report })).result.contentHead;
  } catch (error) {
    assert.ok(error instanceof Interrupted, String(error));
    return null;
  }
}

test('stopped at random places, again and again', async () => {
  const stream = randomStream(7);
  const folder = tinyFolder();
  let head: string | null = null;
  let stops = 0;
  let done = 0;
  let patience = 10;
  while (head === null) {
    // What is found stored is told too, so the number to wait for grows with the run.
    head = await runFor(folder, done + 1 + stream.int(patience));
    stops += 1;
    const now = recordsIn(folder).length;
    // A piece of work longer than the time given would be begun for ever: then more is given.
    patience = now > done ? 10 : patience * 2;
    done = now;
  }
  assert.ok(stops > 4, `only ${stops} stops`);
  assert.equal(head, undisturbed.result.contentHead);
});

test('cut off after any number of records, as a crash leaves them, with half a line behind', async () => {
  const log = recordsIn(undisturbed.folder).map((record) => `${JSON.stringify(record)}\n`);
  const stream = randomStream(8);
  for (let round = 0; round < 4; round += 1) {
    const folder = copyOf(undisturbed.folder);
    const kept = 4 + stream.int(log.length - 4);
    writeFileSync(join(folder, 'log.jsonl'), log.slice(0, kept).join(''));
    appendFileSync(join(folder, 'log.jsonl'), (log[kept] ?? '').slice(0, 40));
    const { result } = await tinyRun(resumeConfig(), { folder });
    assert.equal(result.contentHead, undisturbed.result.contentHead, `after ${kept} of ${log.length} records`);
  }
});

test('a damaged checkpoint: the run goes on from the one before and ends the same', async () => {
  const folder = copyOf(undisturbed.folder);
  const update = recordsIn(folder).find(({ place }) => place.step === 'policy-update');
  writeFileSync(blobPath(folder, update?.blobs[0] ?? ''), 'damaged');
  const { result, records } = await tinyRun(resumeConfig(), { folder });
  assert.equal(result.contentHead, undisturbed.result.contentHead);
  assert.equal(records.length, undisturbed.records.length);
  assert.ok(readdirSync(folder).some((name) => name.startsWith('log.damaged-')));
});

const CHILD = fileURLToPath(new URL('./run-child.ts', import.meta.url));

/** Starts the run as a process and kills it after some lines; resolves to the head if it ended before. */
function killedAfter(folder: string, lines: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = 0;
    let head: string | null = null;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('head ')) head = line.slice(5);
      heard += 1;
      if (heard === lines) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (head !== null || signal === 'SIGKILL') resolve(head);
      else reject(new Error(`the run ended with code ${code}`));
    });
  });
}

test('killed with SIGKILL at random moments', async () => {
  const stream = randomStream(9);
  const folder = tinyFolder();
  let head: string | null = null;
  let kills = 0;
  for (; kills < 5 && head === null; kills += 1) head = await killedAfter(folder, 1 + stream.int(60));
  head ??= await killedAfter(folder, Infinity);
  assert.ok(kills >= 3, `only ${kills} kills`);
  assert.equal(head, undisturbed.result.contentHead);
});
