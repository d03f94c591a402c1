// The fixture rows through the checker, and the checker itself: it must be able to fail.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFixtures } from '../../scripts/check-fixtures.ts';
import { CHECKS } from '../../scripts/fixture-checks.ts';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(root, 'test', 'fixtures', 'algorithms');

function withFolder(files: Readonly<Record<string, string>>, run: (directory: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'rl-fixtures-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    run(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('all rows agree', () => {
  const report = checkFixtures(fixtures);
  assert.deepEqual(report.lines, []);
  assert.equal(report.passed, 243);
});

type Json = number | string | boolean | null | Json[] | { [key: string]: Json };

/** The same value with its first number (or truth value, or null) changed. */
function spoil(value: Json): Json {
  if (typeof value === 'number') return value + 1e-6;
  if (typeof value === 'boolean') return !value;
  if (value === null) return 0.5;
  if (Array.isArray(value)) return [spoil(value[0] ?? 0), ...value.slice(1)];
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, spoil(v)]));
  return value;
}

test('every expected field of every file can fail', () => {
  for (const [name, check] of CHECKS) {
    const [row] = JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as { [key: string]: Json }[];
    assert.ok(row);
    for (const field of Object.keys(check(row))) {
      const spoiled = JSON.stringify([{ ...row, [field]: spoil(row[field] ?? null) }]);
      withFolder({ [name]: spoiled }, (directory) => {
        const { passed, failed, lines } = checkFixtures(directory);
        assert.deepEqual([passed, failed], [0, 1], `${name} ${field}`);
        assert.ok(lines[0]?.startsWith(`${name} row 0: ${field}`), lines[0]);
      });
    }
  }
});

test('a row may expect a refusal; a missing field is none', () => {
  withFolder({ 'pass-at-k.json': '[{"n":3,"c":1,"k":4,"error":true},{"n":3,"c":1,"error":true}]' }, (directory) => {
    const { passed, lines } = checkFixtures(directory);
    assert.equal(passed, 1);
    assert.deepEqual(lines, ['pass-at-k.json row 1: refused: k: got undefined; need a number']);
  });
  withFolder({ 'pass-at-k.json': '[{"n":3,"c":3,"k":1,"error":true}]' }, (directory) => {
    assert.match(checkFixtures(directory).lines[0] ?? '', /expected a refusal/);
  });
});

test('what cannot be checked is one clear line', () => {
  const refuse = (files: Readonly<Record<string, string>>, message: RegExp): void => {
    withFolder(files, (directory) => assert.throws(() => checkFixtures(directory), message));
  };
  refuse({}, /no fixture file/);
  refuse({ 'README.md': 'x' }, /no fixture file/);
  refuse({ 'other.json': '[]' }, /unknown file other\.json/);
  refuse({ 'kl.json': '[{' }, /cannot read .*kl\.json/);
  refuse({ 'kl.json': '[]' }, /no list of rows/);
  refuse({ 'kl.json': '{}' }, /no list of rows/);
  refuse({ 'kl.json': '[1]' }, /no list of rows/);
  assert.throws(() => checkFixtures(join(root, 'no-such-folder')), /cannot read folder/);
});

test('the command: exit status and last line', () => {
  const run = (...args: string[]): { status: number | null; out: string } => {
    const script = join(root, 'scripts', 'check-fixtures.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
      encoding: 'utf8',
      cwd: root,
    });
    return { status, out: (stdout + stderr).trimEnd() };
  };
  withFolder({}, (directory) => {
    cpSync(join(fixtures, 'kl.json'), join(directory, 'kl.json'));
    assert.deepEqual(run(directory), { status: 0, out: '24 passed, 0 failed' });
    writeFileSync(join(directory, 'wilson.json'), '[{"successes":0,"n":0,"low":0,"high":null}]');
    const failed = run(directory);
    assert.equal(failed.status, 1);
    assert.deepEqual(failed.out.split('\n'), ['wilson.json row 0: low: expected 0, got null', '24 passed, 1 failed']);
    writeFileSync(join(directory, 'kl.json'), '[');
    const broken = run(directory);
    assert.deepEqual([broken.status, broken.out.split('\n').length], [2, 1]);
  });
  assert.equal(run().status, 2);
});
