import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTerminal } from '../../sandbox/embedded.ts';
import { gradeChecks } from '../../tasks/grade.ts';
import { aTask, WORKDIR } from './a-task.ts';

test('a clean terminal holds the task and nothing else', async () => {
  const terminal = await openTerminal(aTask());
  assert.equal((await terminal.run('pwd')).stdout, `${WORKDIR}\n`);
  assert.equal((await terminal.run('ls -A')).stdout, 'amber\nattic\nempty\nold.tmp\n');
  assert.equal((await terminal.run('cat amber')).stdout, 'host=11\nport=22\n');
  assert.equal((await terminal.run('stat -c %a amber old.tmp empty')).stdout, '644\n600\n755\n');
  assert.equal((await terminal.run('find / -type f -not -path "/dev/*"')).stdout.trim().split('\n').length, 3);
});

test('files, working directory and variables live on; a failed command changes nothing', async () => {
  const terminal = await openTerminal(aTask());
  await terminal.run('cd attic; X=5 Z=7; export Y=6; echo a > b');
  await terminal.run('unset Z');
  await terminal.run('X=lost; exit 3');
  await terminal.run('cat "unterminated');
  assert.equal((await terminal.run('pwd; echo $X $Y [$Z]; cat b')).stdout, `${WORKDIR}/attic\n5 6 []\na\n`);
  assert.equal((await terminal.run('printenv Y')).stdout, '6\n');
});

test('a directory that went away is left for the work directory', async () => {
  const terminal = await openTerminal(aTask());
  await terminal.run('cd attic; rmdir ../attic');
  assert.equal((await terminal.run('pwd')).stdout, `${WORKDIR}\n`);
  await terminal.run('PWD=/nowhere');
  assert.equal((await terminal.run('pwd')).stdout, `${WORKDIR}\n`);
});

test('variables do not pile up', async () => {
  const terminal = await openTerminal(aTask());
  await terminal.run('X=small');
  await terminal.run('X=$(printf "%0100000d" 1)');
  assert.equal((await terminal.run('echo ${#X}')).stdout, '5\n');
});

test('the host grades what the commands left', async () => {
  const task = aTask();
  const terminal = await openTerminal(task);
  assert.deepEqual(await gradeChecks(task.checks, terminal.view), [0, 0]);
  await terminal.run('echo maple > cedar');
  assert.deepEqual(await gradeChecks(task.checks, terminal.view), [1, 0]);
  await terminal.run('chmod 600 amber');
  assert.deepEqual(await gradeChecks(task.checks, terminal.view), [1, 1]);
  assert.equal(await terminal.view.readFile(`${WORKDIR}/attic`), null);
  assert.equal(await terminal.view.readFile('/none'), null);
  assert.equal(await terminal.view.mode('/none'), null);
  assert.equal(await terminal.view.exists(`${WORKDIR}/attic`), true);
});

test('terminals do not see each other, nor the host', async () => {
  const [a, b] = [await openTerminal(aTask()), await openTerminal(aTask())];
  await a.run('echo secret > cedar; export SECRET=1; shopt -s nullglob; alias ls=cat; f() { echo f; }');
  assert.notEqual((await b.run('cat cedar')).exitCode, 0);
  assert.equal((await b.run('echo [$SECRET] *.none')).stdout, '[] *.none\n');
  for (const command of ['cat /etc/passwd', 'cat /proc/self/environ', 'ls /root', 'ln -s /etc/passwd p; cat p']) {
    assert.notEqual((await b.run(command)).exitCode, 0, command);
  }
  for (const command of ['curl x', 'wget x', 'node -e 1', 'python3 -c 1', 'git status', 'sqlite3 x', 'tar cf x .']) {
    assert.equal((await b.run(command)).exitCode, 127, command);
  }
});

test('no command can take the commands away', async () => {
  const terminal = await openTerminal(aTask());
  await terminal.run('mkdir -p /usr/bin /bin; rm -rf /usr /bin /dev');
  assert.equal((await terminal.run('ls')).stdout, 'amber\nattic\nempty\nold.tmp\n');
});

/** Each must end by itself and leave the terminal usable. */
const RUNAWAYS = [
  'while :; do :; done',
  'for ((;;)); do echo endless output; done',
  'until false; do echo x >> big; done',
  ':(){ :|:& };:',
  'f() { f; }; f',
  'x=a; while :; do x=$x$x; done',
  'printf "%0100000000d" 1',
  'while :; do sleep 1; done',
  'i=0; while :; do i=$((i+1)); echo > f$i; done',
  'awk "BEGIN { while (1) i++ }"',
  'echo a | sed ":a;s/^/x/;ba"',
  'echo {1..1000}{1..1000}{1..1000}',
  'cat /dev/zero; head -c 100000000 /dev/zero',
  'bash -c "while :; do bash -c true; done"',
  'echo $(echo $(echo $(echo $(echo $(echo $(echo $(echo $(echo deep))))))))',
  `grep -E "(a+)+b" <<< ${'a'.repeat(60)}`,
  '[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa =~ (a|aa)+$b ]]',
  'mkdir -p a; while cp -r a a/b 2>/dev/null || true; do :; done',
  'seq 1 100000000',
  'declare -a q; while :; do q+=(x); done',
  'source amber; eval "while :; do :; done"',
  'ln -s loop loop; cat loop; cd loop; find -L .',
];

test('runaways are bounded and leave the terminal usable', async () => {
  const terminal = await openTerminal(aTask({ commandSeconds: 2 }));
  for (const command of RUNAWAYS) {
    const startedAt = performance.now();
    const result = await terminal.run(command);
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(seconds < 3.5, `${command}: ${seconds.toFixed(1)} s`);
    assert.ok(result.stdout.length + result.stderr.length < 600_000, `${command}: output is not bounded`);
    assert.equal((await terminal.run('echo ok')).stdout, 'ok\n', command);
  }
});

test('the time limit ends what the counts let through, and says so', async () => {
  const terminal = await openTerminal(aTask({ commandSeconds: 0.02 }));
  const result = await terminal.run('while :; do echo x > y; cat y; cp y z; rm z; done');
  assert.deepEqual([result.exitCode, result.timedOut], [124, true]);
  assert.equal((await terminal.run('exit 124')).timedOut, false);
});
