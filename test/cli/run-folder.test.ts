import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { claimRunFolder, findRun, moveAside, readRunConfig, requireWritableFile } from '../../cli/run-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'run-folder-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('a claimed folder knows its configuration and takes the same one again', () => {
  const folder = join(root, 'claimed');
  const config = parseRunConfig({ seed: 4 });
  claimRunFolder(folder, config, 'wasm');
  assert.deepEqual(readRunConfig(folder), config);
  assert.doesNotThrow(() => claimRunFolder(folder, config, 'wasm'));
  assert.throws(() => claimRunFolder(folder, parseRunConfig({ seed: 5 }), 'wasm'), /seed was 4, now 5/);
  assert.throws(() => claimRunFolder(folder, config, 'native'), /made on the wasm backend.*TERMINAL_RSI_BACKEND=wasm/);
});

test('records without a configuration, and a damaged one, are refused', () => {
  const folder = join(root, 'unknown');
  mkdirSync(folder);
  writeFileSync(join(folder, 'log.jsonl'), '{}\n');
  assert.throws(() => claimRunFolder(folder, parseRunConfig({}), 'wasm'), /holds records but no run\.json/);
  writeFileSync(join(folder, 'run.json'), '{"config":');
  assert.throws(() => claimRunFolder(folder, parseRunConfig({}), 'wasm'), /unreadable run\.json/);
});

test('--fresh moves the folder aside and loses nothing, twice in a second too', () => {
  const folder = join(root, 'moved');
  assert.equal(moveAside(folder), null);
  const places = ['one', 'two'].map((text) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'log.jsonl'), text);
    return moveAside(folder) ?? '';
  });
  assert.equal(existsSync(folder), false);
  assert.deepEqual(
    places.map((place) => readFileSync(join(place, 'log.jsonl'), 'utf8')),
    ['one', 'two'],
  );
});

test('a run is found by folder or by name; a near miss is named', () => {
  const before = process.env['RSI_HOME'];
  process.env['RSI_HOME'] = root;
  try {
    const folder = join(root, 'runs', 'demo-seed0-abcdef01');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'log.jsonl'), '');
    assert.equal(findRun(folder), folder);
    assert.equal(findRun('demo-seed0-abcdef01'), folder);
    assert.throws(() => findRun('demo-seed0-abcdef02'), /did you mean 'demo-seed0-abcdef01'\?/);
  } finally {
    if (before === undefined) delete process.env['RSI_HOME'];
    else process.env['RSI_HOME'] = before;
  }
});

test('an output file is tried before the work, and not created by it', () => {
  const file = join(root, 'out.json');
  requireWritableFile('--json', file);
  assert.equal(existsSync(file), false);
  assert.throws(() => requireWritableFile('--json', root), /--json .* cannot be written \(it is a folder\)/);
  assert.throws(() => requireWritableFile('--json', join(file, 'x')), /its folder does not exist/);
});
