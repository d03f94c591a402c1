/** `rsi up` with a home, a server or a database that cannot be used: one line that says which and what to do, no secret. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli, scratch } from './run-cli.ts';

const NOTHING = { TEMPORAL_ADDRESS: '', DATABASE_URL: '' };
const file = join(scratch, 'a-file');
writeFileSync(file, 'mine');
const good = join(scratch, 'good');
mkdirSync(good, { mode: 0o755 });

const EXPECTED = 'expected postgresql://user:password@host:port/database';
const CASES: readonly (readonly [string, NodeJS.ProcessEnv, RegExp, number])[] = [
  ['a home that is a file', { RSI_HOME: file }, /home folder \S+a-file cannot be written \(\S+a-file is a file\)/, 2],
  ['a home below a file', { RSI_HOME: join(file, 'x') }, /x cannot be written \(\S+a-file is a file\); choose/, 2],
  // Node's own recursive mkdir never comes back from there.
  ['a home where none can be made', { RSI_HOME: '/proc/rsi' }, /\(no (folder can be made in \/proc|permission)\)/, 2],
  [
    'a database address without a port number',
    { RSI_HOME: good, DATABASE_URL: 'postgresql://me:s3cret@host:port/db' },
    new RegExp(`DATABASE_URL is not an address; ${EXPECTED}`),
    2,
  ],
  ['a word as database address', { RSI_HOME: good, DATABASE_URL: 's3cret' }, new RegExp(EXPECTED), 2],
  ['another database', { RSI_HOME: good, DATABASE_URL: 'mysql://me:s3cret@host/db' }, new RegExp(EXPECTED), 2],
  [
    'a Temporal server that nobody runs',
    { RSI_HOME: good, TEMPORAL_ADDRESS: '127.0.0.1:1' },
    /Temporal: 127\.0\.0\.1:1 does not answer for namespace default \(waited 20 s\); start it, or unset TEMPORAL_ADDRESS/,
    1,
  ],
];

for (const [what, env, line, code] of CASES) {
  test(`rsi up refuses ${what}`, { timeout: 60_000 }, async () => {
    const ended = await runCli(['up'], { env: { ...NOTHING, ...env } });
    assert.match(ended.stderr, new RegExp(`^rsi: [^\\n]*${line.source}[^\\n]*\\n$`));
    assert.equal(ended.code, code);
    // Nothing was begun before that was found out.
    assert.equal(ended.stdout, '');
    assert.doesNotMatch(ended.stderr, /s3cret/);
  });
}
