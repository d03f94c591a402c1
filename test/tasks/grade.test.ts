/** Conditions against a file system kept in a map. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check, Condition } from '../../contracts/task.ts';
import { gradeChecks, type FileView } from '../../tasks/grade.ts';

const FILES = new Map([['/w/a', { content: 'draft\n', mode: 0o100644 }]]);
const view: FileView = {
  readFile: async (path) => FILES.get(path)?.content ?? null,
  mode: async (path) => FILES.get(path)?.mode ?? null,
  exists: async (path) => FILES.has(path),
};

const check = (...conditions: Condition[]): Check => ({ name: 'c', weight: 1, subGoal: 0, conditions });

test('each condition is exact, and a check needs all of its conditions', async () => {
  const same: Condition = { kind: 'content-equals', path: '/w/a', content: 'draft\n' };
  const cases: [Condition[], number][] = [
    [[same], 1],
    [[{ ...same, content: 'draft' }], 0],
    [[{ ...same, path: '/w/b' }], 0],
    [[{ ...same, path: '/w/b', content: '' }], 0],
    [[{ kind: 'absent', path: '/w/b' }], 1],
    [[{ kind: 'absent', path: '/w/a' }], 0],
    [[{ kind: 'mode-equals', path: '/w/a', mode: 0o644 }], 1],
    [[{ kind: 'mode-equals', path: '/w/a', mode: 0o640 }], 0],
    [[{ kind: 'mode-equals', path: '/w/b', mode: 0o644 }], 0],
    [[same, { kind: 'absent', path: '/w/a' }], 0],
    [[], 1],
  ];
  const results = await gradeChecks(
    cases.map(([conditions]) => check(...conditions)),
    view,
  );
  assert.deepEqual(
    results,
    cases.map(([, expected]) => expected),
  );
});
