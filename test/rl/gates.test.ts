// Acceptance gates: each code alone, their order, the caps of a round, and what is measured.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptRewrites } from '../../rl/gates.ts';
import type { GateCode, GateOptions, RewriteCandidate, RewriteChild, RewriteParent } from '../../rl/gates/candidate.ts';

const digests = { task: 't', tests: 'v', image: null };
const options: GateOptions = { families: 4 };

const parent: RewriteParent = {
  id: 'p',
  verdict: 'strict',
  commands: ['ls', 'echo red > a.txt', 'cat a.txt'],
  observations: ['b.txt', '', 'red'],
  turns: 4,
  actionTokens: 20,
  failedCommands: 1,
  digests,
};
const child: RewriteChild = {
  id: 'c',
  verdicts: ['strict'],
  commands: ['echo red > a.txt'],
  observations: [''],
  turns: 2,
  actionTokens: 8,
  failedCommands: 0,
  digests,
};
interface Change extends Partial<Omit<RewriteCandidate, 'parent' | 'child'>> {
  readonly parent?: Partial<RewriteParent>;
  readonly child?: Partial<RewriteChild>;
}

function candidate(change: Change = {}): RewriteCandidate {
  return {
    taskId: 'task-1',
    family: 'notes',
    flaky: false,
    turnLimit: 9,
    mode: 'polish',
    parentIndex: 0,
    sample: 0,
    plainPrompt: 'write red to a.txt',
    workingDirectory: '/app',
    ancestors: [],
    ...change,
    parent: { ...parent, ...change.parent },
    child: { ...child, ...change.child },
  };
}

function gateOf(change: Change, more: Partial<GateOptions> = {}): GateCode | null | undefined {
  return acceptRewrites([candidate(change)], { ...options, ...more })[0]?.gate;
}

/** A candidate of a repair with these commands, alone. */
function repair(commands: readonly string[], observations: readonly string[], change: Change = {}): Change {
  return {
    mode: 'repair',
    ...change,
    parent: {
      verdict: 'partial',
      commands: ['cat secret.txt', 'true', 'true', 'true'],
      observations: ['4711'],
      ...change.parent,
    },
    child: { commands, observations, ...change.child },
  };
}

test('a better child passes all gates', () => {
  assert.equal(gateOf({}), null);
  assert.deepEqual(acceptRewrites([], options), []);
});

test('1 parent-unverified', () => {
  assert.equal(gateOf({ parent: { verdict: null } }), 'parent-unverified');
});

test('2 no-verdict, 3 not-strict, flaky tasks three times', () => {
  assert.equal(gateOf({ child: { verdicts: [] } }), 'no-verdict');
  assert.equal(gateOf({ child: { verdicts: [null] } }), 'no-verdict');
  assert.equal(gateOf({ child: { verdicts: ['partial'] } }), 'not-strict');
  assert.equal(gateOf({ child: { verdicts: ['strict', 'partial'] } }), 'not-strict');
  assert.equal(gateOf({ flaky: true }), 'no-verdict');
  assert.equal(gateOf({ flaky: true, child: { verdicts: ['strict', 'strict', 'partial'] } }), 'not-strict');
  assert.equal(gateOf({ flaky: true, child: { verdicts: ['strict', 'strict', 'strict'] } }), null);
  assert.equal(gateOf({ flaky: true, child: { verdicts: ['strict', 'strict'] } }, { executionsRequired: 2 }), null);
});

test('4 verifier-changed: any of the digests', () => {
  for (const change of [{ task: 'x' }, { tests: 'x' }, { image: 'x' }]) {
    assert.equal(gateOf({ child: { digests: { ...digests, ...change } } }), 'verifier-changed');
  }
});

test('5 not-better: Pareto on turns, tokens, failed commands; a repair may be longer', () => {
  const same = { turns: 4, actionTokens: 20, failedCommands: 1 };
  assert.equal(gateOf({ child: same }), 'not-better');
  assert.equal(gateOf({ child: { ...same, failedCommands: 0 } }), null);
  assert.equal(gateOf({ child: { ...same, turns: 1, actionTokens: 21 } }), 'not-better');
  assert.equal(gateOf({ mode: 'repair', parent: { verdict: 'partial' }, child: { turns: 9, actionTokens: 99 } }), null);
});

test('6 duplicate: of the parent, an ancestor or an accepted sibling, after normalising', () => {
  const spaced = ['  ls ', '', 'echo   red > a.txt', 'cat\ta.txt'];
  assert.equal(gateOf({ child: { commands: spaced, observations: ['b.txt', '', '', 'red'] } }), 'duplicate');
  assert.equal(gateOf({ ancestors: [['echo red  > a.txt']] }), 'duplicate');
  const [first, second] = acceptRewrites([candidate(), candidate({ sample: 1, child: { id: 'd' } })], options);
  assert.deepEqual([first?.gate, second?.gate, second?.measures.duplicateOf], [null, 'duplicate', 'sibling']);
  // A sibling that was refused is no sibling to compare with.
  const refused = candidate({ child: { verdicts: ['partial'] } });
  assert.equal(acceptRewrites([refused, candidate({ sample: 1 })], options)[1]?.gate, null);
});

test('6 duplicate: near-duplicates only from 8 commands on', () => {
  const many = (n: number): string[] => Array.from({ length: n }, (_, i) => `echo red${'x'.repeat(i)}`);
  const near = (n: number): GateCode | null | undefined => {
    const commands = many(n).slice(0, -1); // shares n - 2 of n - 1 bigrams
    const change = { turnLimit: 99, parent: { commands: many(n) }, child: { commands, observations: [] } };
    return gateOf(change);
  };
  assert.equal(near(20), null); // 18 / 19 < 0.95
  assert.equal(near(21), 'duplicate'); // 19 / 20
  const loop = (n: number): string[] => new Array<string>(n).fill('echo red'); // one bigram: Jaccard 1
  const looped = (n: number): GateCode | null | undefined =>
    gateOf({ turnLimit: 99, parent: { commands: loop(n + 1) }, child: { commands: loop(n), observations: [] } });
  assert.equal(looped(7), null);
  assert.equal(looped(8), 'duplicate');
});

test('7 length: 1 .. min(turnLimit, 2 x parent)', () => {
  const commands = (n: number): Partial<RewriteChild> => ({
    commands: Array.from({ length: n }, (_, i) => `echo red${'x'.repeat(i)}`),
    observations: [],
  });
  assert.equal(gateOf({ child: { commands: ['  '], observations: [''] } }), 'length');
  assert.equal(gateOf({ child: commands(6) }), null);
  assert.equal(gateOf({ child: commands(7) }), 'length');
  assert.equal(gateOf({ turnLimit: 5, child: commands(6) }), 'length');
});

test('8 touches-verifier: however the path is written', () => {
  const touching = [
    'cat /tests/test.sh',
    "cat '/te'sts/x",
    'ls /tests',
    'echo 1 > /logs/verifier/reward.txt',
    'cat ../tests/x',
    'cat //tests/./x',
    'cat /app/../solution/solve.sh',
    'cat /t*/x',
    'cat /tes?s/x',
    'cat /[st]ests/x',
    'python3 -c "print(open(\'/tests/x\').read())"',
    'tar --directory=/tests -c .',
    'cd / && cat tests/x',
    'cp a.txt>/oracle/x',
  ];
  for (const command of touching) {
    assert.equal(gateOf({ child: { commands: [command] } }), 'touches-verifier', command);
  }
  const two = { commands: ['cd /', 'cat tests/x'], observations: ['', ''] };
  assert.equal(gateOf({ child: two }), 'touches-verifier');
});

test('8 touches-verifier: a project of its own may have tests', () => {
  for (const command of [
    'pytest tests/',
    'cat /app/tests/a',
    'ls /',
    'ls /*',
    'sed -i s/a/b/ x',
    'cat /testsuite/x',
    'ls /logs',
  ]) {
    assert.equal(gateOf({ child: { commands: [command] } }), null, command);
  }
  assert.equal(gateOf({ child: { commands: ['cat /srv/key'] } }, { protectedPaths: ['/srv/key'] }), 'touches-verifier');
});

test('9 leaks-parent: a value only the parent had seen', () => {
  const prompt = { plainPrompt: 'fetch secret.txt as port in app.ini' };
  const guesses = [
    'echo 4711 > app.ini',
    "sed -i 's/^port=.*/port=4711/' app.ini",
    'PORT=4711 run',
    'echo port=4711>>app.ini',
    'mkdir out/4711/log',
    'echo "the port is 4711"',
    'echo 47"11"',
    'echo $((4711))',
    'cat > app.ini <<E\n4711\nE',
  ];
  for (const command of guesses) {
    const decision = acceptRewrites([candidate(repair([command], [''], prompt))], options)[0];
    assert.equal(decision?.gate, 'leaks-parent', command);
    assert.ok(
      decision.measures.leaked.some((word) => word.includes('4711')),
      command,
    );
  }
});

test('9 leaks-parent: what the child saw itself before, or the prompt says, is no leak', () => {
  const prompt = { plainPrompt: 'fetch secret.txt as port in app.ini' };
  const use = 'echo port=4711 > app.ini';
  assert.equal(gateOf(repair(['cat secret.txt', use], ['4711', ''], prompt)), null);
  assert.equal(gateOf(repair([use, 'cat secret.txt'], ['', '4711'], prompt)), 'leaks-parent'); // seen too late
  assert.equal(gateOf(repair([use], ['4711'], prompt)), 'leaks-parent'); // its own output is no source
  assert.equal(gateOf(repair([use], [''], { plainPrompt: 'set port to 4711' })), null);
  assert.equal(gateOf(repair(['echo 47110'], [''], prompt)), null); // another word
  assert.equal(gateOf(repair(['echo x'], [''], { ...prompt, parent: { observations: ['x.log'] } })), null); // not a word there
  for (const text of ['port=4711', 'It is 4711.', '"4711"', 'p:4711,q', '/srv/4711/log']) {
    assert.equal(gateOf(repair([use], [''], { ...prompt, parent: { observations: [text] } })), 'leaks-parent', text);
  }
  assert.equal(gateOf(repair([use], [''], { plainPrompt: 'not 47110' })), 'leaks-parent');
});

test("9 leaks-parent: a program's name is no secret, an error message repeats it", () => {
  const seen = { parent: { observations: ['cat: secrets.txt: No such file'] }, plainPrompt: 'read secret.txt' };
  assert.equal(gateOf(repair(['cat secret.txt'], ['4711'], seen)), null);
  assert.equal(gateOf(repair(['grep x < secret.txt | cat'], [''], seen)), null);
  assert.equal(gateOf(repair(['echo cat'], [''], seen)), 'leaks-parent');
});

test('10 per-task-cap: best by turns, tokens, failed commands, id', () => {
  const of = (parentIndex: number, change: Partial<RewriteChild>): RewriteCandidate =>
    candidate({ parentIndex, parent: { id: `p${parentIndex}` }, child: change });
  const list = [
    of(0, { id: 'd', turns: 2, actionTokens: 8, failedCommands: 1 }),
    of(1, { id: 'c', turns: 2, actionTokens: 8 }),
    of(2, { id: 'b', turns: 2, actionTokens: 8 }),
    of(3, { id: 'a', turns: 3, actionTokens: 1 }),
  ];
  const accepted = (more: Partial<GateOptions>): string[] =>
    acceptRewrites(list, { families: 1, ...more }).filter((d) => d.accepted).map((d) => d.childId); // prettier-ignore
  assert.deepEqual(accepted({}), ['b']);
  assert.deepEqual(accepted({ perTaskCap: 3 }), ['d', 'c', 'b']);
  assert.deepEqual(accepted({ perTaskCap: 3, liveInReplay: { 'task-1': 8 } }), ['c', 'b']);
  assert.deepEqual(accepted({ perTaskCap: 3, liveInReplay: { 'task-1': 12 } }), []);
  const decisions = acceptRewrites(list, options);
  assert.deepEqual(decisions.map((d) => d.gate), ['per-task-cap', 'per-task-cap', null, 'per-task-cap']); // prettier-ignore
  assert.deepEqual(decisions.map((d) => d.measures.rankInTask), [3, 2, 1, 4]); // prettier-ignore
});

test('11 family-share: 2/F of the round, in order of (parent, sample)', () => {
  const list = Array.from({ length: 10 }, (_, i) =>
    candidate({
      parentIndex: i,
      taskId: `task-${i}`,
      family: i < 8 ? 'notes' : 'audit',
      parent: { id: `p${i}` },
      child: { id: `c${i}` },
    }),
  );
  const refused = (more: Partial<GateOptions>): string[] =>
    acceptRewrites(list, { ...options, ...more }).filter((d) => d.gate === 'family-share').map((d) => d.childId); // prettier-ignore
  assert.deepEqual(refused({}), ['c5', 'c6', 'c7']); // 2/4 of 10
  assert.deepEqual(refused({ families: 2 }), []);
  assert.deepEqual(refused({ familyShare: 0.7 }), ['c7']);
  assert.equal(gateOf({}, { families: 50 }), null); // at least one child a family
  const round = Array.from({ length: 49 }, (_, i) =>
    candidate({ parentIndex: i, taskId: `t${i}`, parent: { id: `p${i}` } }),
  );
  const kept = acceptRewrites(round, { families: 49 }).filter((d) => d.accepted);
  assert.equal(kept.length, 2); // 2/49 * 49 is a bit below 2 in floating point
});

test('the first gate that fails is the code; order of input does not matter; all is measured', () => {
  const bad = candidate({
    child: { verdicts: ['partial'], turns: 9, commands: ['cat /tests/x b.txt'], digests: { ...digests, task: 'x' } },
  });
  const list = [candidate({ parentIndex: 2, taskId: 'b', parent: { id: 'q' } }), bad];
  const decisions = acceptRewrites(list, options);
  assert.deepEqual(acceptRewrites([...list].reverse(), options), decisions);
  assert.deepEqual(decisions.map((d) => d.gate), ['not-strict', null]); // prettier-ignore
  assert.deepEqual(decisions[0]?.measures, {
    parentVerdict: 'strict',
    verdicts: ['partial'],
    executionsNeeded: 1,
    changedDigests: ['task'],
    turnDelta: 5,
    tokenDelta: -12,
    failedDelta: -1,
    duplicateOf: null,
    similarity: 0,
    commandCount: 1,
    commandLimit: 6,
    touched: ['/tests/x'],
    leaked: ['b.txt'],
    rankInTask: null,
    taskCap: null,
    rankInFamily: null,
    familyCap: null,
  });
});

test('wrong input is refused', () => {
  assert.throws(() => gateOf({ mode: 'repair' }), /mode repair for child c of a strict parent; need polish/);
  assert.throws(() => acceptRewrites([candidate(), candidate()], options), /two candidates for parent 0, sample 0/);
  assert.throws(() => gateOf({ child: { observations: ['', ''] } }), /got 2 observations of child c/);
  assert.throws(() => gateOf({}, { families: 0 }), /families: got 0/);
  assert.throws(() => gateOf({}, { familyShare: 0 }), /familyShare: got 0/);
});
