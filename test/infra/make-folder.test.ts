/** A folder to write in, or a few words on why there can be none, at once. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimRunFolder } from '../../cli/run-folder.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { makeFolder } from '../../infra/make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'make-folder-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('it is made with everything above it, and taken as it is the second time', () => {
  const path = join(root, 'a b', 'äø', 'c');
  makeFolder(path);
  writeFileSync(join(path, 'kept'), '');
  makeFolder(path);
  assert.ok(existsSync(join(path, 'kept')));
});

test('a file in its place, or above it, is named', () => {
  const file = join(root, 'file');
  writeFileSync(file, 'mine');
  for (const path of [file, join(file, 'a', 'b')]) {
    assert.throws(() => makeFolder(path), { message: `${file} is a file` });
  }
});

test('a place that takes no folders is refused, and does not hang', { skip: process.platform !== 'linux' }, () => {
  const refused = /no folder can be made in \/proc|no permission/;
  assert.throws(() => makeFolder('/proc/rsi/run'), refused);
  assert.throws(
    () => claimRunFolder('/proc/rsi/run', parseRunConfig({}), 'wasm'),
    new RegExp(`^Failure: run folder /proc/rsi/run cannot be written \\((${refused.source})\\); choose another`),
  );
});

test('without permission it says so', () => {
  const closed = join(root, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  const isRoot = process.geteuid?.() === 0;
  // Root may write anywhere; nobody may not.
  if (isRoot) process.seteuid?.(65_534);
  try {
    assert.throws(() => makeFolder(join(closed, 'a')), { message: 'no permission' });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
