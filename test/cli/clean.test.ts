/** `rsi clean` removes what rsi made and nothing else, and only when it may. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { askYes } from '../../cli/ask-yes.ts';
import { whatIsUp } from '../../cli/clean/in-use.ts';
import { removeAll } from '../../cli/clean/remove.ts';
import { surveyHome } from '../../cli/clean/survey.ts';
import { sizeText } from '../../cli/clean/survey-text.ts';
import { startOf } from '../../infra/processes.ts';
import { runCli } from './run-cli.ts';

const root = mkdtempSync(join(tmpdir(), 'rsi-clean-'));
after(() => rmSync(root, { recursive: true, force: true }));
const BLOB = 'ab'.repeat(32);

function put(path: string, text = 'x'): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

/** Everything that a home can hold of ours. */
function aHome(name: string): { home: string; elsewhere: string } {
  const [home, elsewhere] = [join(root, name), join(root, `${name}-elsewhere`)];
  const ours = [
    ...['temporal.db', 'temporal.db-wal', 'logs/control.log', 'logs/temporal.log'],
    ...['cache/workflows-0123456789abcdef.js', `blobs/ab/${BLOB}`, 'runs/demo-seed0-1/log.jsonl'],
    ...['runs/demo-seed0-1/run.json', 'runs/demo-seed0-1/report.html', `runs/demo-seed0-1/blobs/ab/${BLOB}`],
  ];
  for (const path of ours) put(join(home, path));
  put(join(elsewhere, 'data', 'PG_VERSION'), '18\n');
  put(join(elsewhere, 'data', 'base', '1', '2'), 'rows');
  put(join(elsewhere, 'password'), 'secret');
  symlinkSync(elsewhere, join(home, 'postgres'));
  return { home, elsewhere };
}

const clean = (home: string, elsewhere: string): readonly string[] => {
  const { removals, kept } = surveyHome(home, elsewhere);
  removeAll(removals);
  return kept.map((path) => path.replace(`${root}/`, ''));
};

test('a home of ours goes whole, with the database that lies elsewhere', () => {
  const { home, elsewhere } = aHome('whole');
  const { parts } = surveyHome(home, elsewhere);
  assert.deepEqual(
    parts.map(({ part, files }) => `${part} ${files}`),
    ['files 1', 'cache 1', 'logs 2', 'runs 4', 'history 1', 'history 1', 'database 3'],
  );
  assert.equal(parts.find(({ path }) => path === elsewhere)?.bytes, '18\n'.length + 'rows'.length + 'secret'.length);
  assert.deepEqual(clean(home, elsewhere), []);
  assert.deepEqual([existsSync(home), existsSync(elsewhere)], [false, false]);
});

test('what is not ours is kept to the last byte, and so are the folders around it', () => {
  const { home, elsewhere } = aHome('mixed');
  const foreign = [
    ...['notes.txt', 'runs/thesis/chapter.tex', 'runs/demo-seed0-1/my-notes.md', 'logs/app.log', 'blobs/ab/readme'],
    ...['cache/other.js', 'temporal.db.bak'],
  ];
  for (const path of foreign) put(join(home, path), path);
  put(join(elsewhere, 'dump.sql'), 'mine');
  const kept = clean(home, elsewhere);
  for (const path of foreign) assert.equal(readFileSync(join(home, path), 'utf8'), path);
  assert.deepEqual(readdirSync(elsewhere), ['dump.sql']);
  assert.ok(kept.includes('mixed/notes.txt') && kept.includes('mixed/runs/thesis'), kept.join());
  assert.deepEqual(readdirSync(join(home, 'runs', 'demo-seed0-1')), ['my-notes.md']);
  assert.deepEqual(clean(home, elsewhere).length, kept.length);
});

test('no link is followed: to a run, to blobs, to a database of another home, out of a database', () => {
  const { home, elsewhere } = aHome('links');
  const other = aHome('other');
  rmSync(join(home, 'postgres'));
  symlinkSync(other.elsewhere, join(home, 'postgres'));
  symlinkSync(join(other.home, 'runs', 'demo-seed0-1'), join(home, 'runs', 'linked'));
  symlinkSync(other.home, join(elsewhere, 'data', 'pg_link'));
  rmSync(join(home, 'logs'), { recursive: true });
  symlinkSync(join(other.home, 'logs'), join(home, 'logs'));
  const kept = clean(home, elsewhere);
  assert.deepEqual(kept, ['links/logs', 'links/postgres', 'links/runs/linked']);
  assert.equal(existsSync(join(other.elsewhere, 'data', 'PG_VERSION')), true);
  assert.equal(existsSync(join(other.home, 'runs', 'demo-seed0-1', 'log.jsonl')), true);
  assert.equal(existsSync(join(other.home, 'logs', 'control.log')), true);
  symlinkSync(other.home, join(root, 'a-link'));
  assert.deepEqual(surveyHome(join(root, 'a-link'), join(root, 'none')), { parts: [], removals: [], kept: [join(root, 'a-link')] }); // prettier-ignore
});

test('a folder called data that no database made is kept', () => {
  const { home, elsewhere } = aHome('data');
  rmSync(join(elsewhere, 'data', 'PG_VERSION'));
  assert.deepEqual(clean(home, elsewhere), ['data-elsewhere/data']);
});

test('while something is up it is refused, and says how to end it', () => {
  const { home, elsewhere } = aHome('up');
  assert.equal(whatIsUp(home, elsewhere), null);
  put(join(home, 'runs', 'demo-seed0-1', 'lock'), String(process.ppid));
  assert.match(whatIsUp(home, elsewhere) ?? '', new RegExp(`^process ${process.ppid} works in .*Ctrl-C$`));
  const own = { pid: process.pid, startedAt: startOf(process.pid) };
  put(join(home, 'stack.json'), JSON.stringify({ ...own, address: 'a', namespace: 'n', databaseUrl: 'd' }));
  assert.match(whatIsUp(home, elsewhere) ?? '', /is up in .*; stop it: rsi down$/);
});

test('the command: without a terminal it lists and asks for --yes, then removes', async () => {
  const { home } = aHome('command');
  rmSync(join(home, 'postgres'));
  put(join(home, 'postgres', 'data', 'PG_VERSION'));
  put(join(home, 'mine.txt'));
  const env = { RSI_HOME: home };
  const asked = await runCli(['clean'], { env });
  assert.deepEqual([asked.code, existsSync(join(home, 'temporal.db'))], [2, true]);
  assert.match(
    asked.stdout,
    /^To be removed of .*\n(.*\n)*.* database +1 B .*\n(.*\n)*Kept, not made by rsi: .*mine\.txt\n$/,
  );
  assert.equal(
    asked.stderr,
    'rsi: nothing was removed: there is no terminal to ask on; --yes removes without asking\n',
  );
  const done = await runCli(['clean', '--yes', '--json'], { env });
  const { removed, kept } = JSON.parse(done.stdout) as { removed: { part: string }[]; kept: string[] };
  assert.deepEqual([done.code, kept, readdirSync(home)], [0, [join(home, 'mine.txt')], ['mine.txt']]);
  assert.ok(removed.some(({ part }) => part === 'runs'));
});

test('only y and yes are yes; the end of input is no', async () => {
  const answer = async (text: string | null): Promise<boolean> => {
    const input = new PassThrough();
    const asked = askYes('Remove?', input, new PassThrough());
    if (text === null) input.end();
    else input.write(`${text}\n`);
    return asked;
  };
  assert.deepEqual(await Promise.all(['y', 'YES', '', 'n', 'yo', null].map(answer)), [true, true, false, false, false, false]); // prettier-ignore
  assert.deepEqual([sizeText(999), sizeText(1500), sizeText(2.5e9)], ['999 B', '1.5 kB', '2.5 GB']);
});
