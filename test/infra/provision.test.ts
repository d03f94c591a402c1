/** provisionNative with stand-in tools: what it leaves behind, and what it says when something is missing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { verifyNative, type NativeResult } from '../../infra/native.ts';
import { addonPath, isNativeLinked } from '../../infra/native/linked.ts';
import { makeSandbox, PIP, REPOSITORY, type Sandbox } from './fixtures.ts';

// Builds with stand-in tools are made whatever backend this pass of the tests uses.
delete process.env['TERMINAL_RSI_BACKEND'];

function assertReady(result: NativeResult, how: string): void {
  assert.equal(result.kind, 'ready', JSON.stringify(result));
  assert.equal(result.kind === 'ready' && result.how, how);
}

function assertUnavailable(result: NativeResult, reason: RegExp, remedy: RegExp): void {
  assert.equal(result.kind, 'unavailable', JSON.stringify(result));
  if (result.kind !== 'unavailable') return;
  assert.match(result.reason, reason);
  assert.match(result.remedy, remedy);
  assert.doesNotMatch(result.reason + result.remedy, /\n|^\s+at /m);
}

async function cacheEntries(sandbox: Sandbox): Promise<string[]> {
  return existsSync(sandbox.cacheRoot) ? readdir(sandbox.cacheRoot) : [];
}

async function compilerRuns(sandbox: Sandbox): Promise<number> {
  return (await readFile(join(sandbox.root, 'calls'), 'utf8')).split('\n').length - 1;
}

// Most of the time goes into waiting for child processes.
describe('provisionNative', { concurrency: 4 }, () => {
  test('builds once, then only links', async (t) => {
    const sandbox = await makeSandbox(t);
    const built = await sandbox.provision();
    assertReady(built, 'built');
    assert.equal(isNativeLinked(sandbox.packageRoot), true);
    assert.deepEqual(await cacheEntries(sandbox), [realEntry(sandbox)], 'one complete entry, no lock, no leftovers');
    const kept = (await readdir(join(sandbox.cacheRoot, realEntry(sandbox)), { recursive: true })).sort();
    assert.ok(!kept.some((path) => /download|objects|not_needed/.test(path)), kept.join(' '));
    assert.equal(await compilerRuns(sandbox), 5, 'three objects, two addons');

    const again = await sandbox.provision();
    assertReady(again, 'present');
    await rm(join(sandbox.packageRoot, 'lib'), { recursive: true });
    const relinked = await sandbox.provision();
    assertReady(relinked, 'linked');
    assert.ok(relinked.kind === 'ready' && relinked.seconds < 0.5);
    assert.equal(await compilerRuns(sandbox), 5);
    assert.ok(built.kind === 'ready' && relinked.kind === 'ready' && built.digest === relinked.digest);
    assertReady(await verifyNative(sandbox), 'present');
  });

  function realEntry(sandbox: Sandbox): string {
    const folder = dirname(realpathSync(addonPath(sandbox.packageRoot)));
    assert.equal(dirname(folder), realpathSync(sandbox.cacheRoot));
    return folder.slice(dirname(folder).length + 1);
  }

  test('says what is missing, and leaves nothing', async (t) => {
    const cases: [string, (sandbox: Sandbox) => Promise<void>, RegExp, RegExp][] = [
      ['no compiler', (s) => s.removeTool('g++'), /no C\+\+ compiler/, /g\+\+|xcode/],
      ['no pip and no python', (s) => s.removeTool('pip'), /neither python3 nor pip/, /install pip/],
      [
        'python without pip',
        (s) => replacePip(s, 'process.exit(1)'),
        /python3 is there, but has no pip/,
        /install pip/,
      ],
      [
        'no network',
        (s) => s.tool('pip', pipThatFails('NewConnectionError: Temporary failure in name resolution')),
        /package index cannot be reached/,
        /network/,
      ],
      [
        'unknown version',
        (s) => s.tool('pip', pipThatFails('ERROR: No matching distribution found for tiny==1.0')),
        /index has no tiny==1\.0/,
        /pip config list/,
      ],
      [
        'digest refused by pip',
        (s) => s.tool('pip', pipThatFails('ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.')),
        /other bytes than the pinned/,
        /mirror/,
      ],
      [
        'digest not checked by pip',
        (s) => appendFile(join(s.root, 'tiny.whl'), 'x'),
        /not have the pinned digest/,
        /mirror/,
      ],
      [
        'compiler fails',
        (s) => s.tool('g++', 'console.error("x.cc:1: error: no such header"); process.exit(1)'),
        /g\+\+ could not build the addon: x\.cc:1: error: no such header/,
        /C\+\+17/,
      ],
      [
        'addon does not load',
        (s) => s.tool('g++', 'const a = process.argv; require("fs").writeFileSync(a[a.indexOf("-o") + 1], "junk")'),
        /does not load: .*bad addon/,
        /system library/,
      ],
    ];
    for (const [name, arrange, reason, remedy] of cases)
      await t.test(name, async (t) => {
        const sandbox = await makeSandbox(t);
        await arrange(sandbox);
        assertUnavailable(await sandbox.provision(), reason, remedy);
        assert.deepEqual(await cacheEntries(sandbox), []);
        assert.equal(isNativeLinked(sandbox.packageRoot), false);
      });
  });

  async function replacePip(sandbox: Sandbox, code: string): Promise<void> {
    await sandbox.removeTool('pip');
    await sandbox.tool('python3', code);
  }

  function pipThatFails(message: string): string {
    return `if (process.argv.includes('--version')) process.exit(0);\nconsole.error(${JSON.stringify(message)});\nprocess.exit(1);`;
  }

  test('goes to the next source only when one cannot be had', async (t) => {
    const sandbox = await makeSandbox(t);
    const missing = {
      ...sandbox.source,
      id: 'other',
      wheels: [{ project: 'other', version: '2', sha256: '0'.repeat(64) }],
    };
    assertReady(await sandbox.provision({ sources: [missing, sandbox.source] }), 'built');
    assert.match(realEntry(sandbox), /^tiny-1\.0/);
  });

  test('missing Node headers', async (t) => {
    const { findNodeHeaders } = await import('../../infra/native/node-headers.ts');
    const sandbox = await makeSandbox(t);
    const found = join(sandbox.root, 'headers', 'include', 'node');
    assert.equal(findNodeHeaders({}, ['/nowhere', found]), found);
    assert.throws(() => findNodeHeaders({}, ['/nowhere']), {
      message: /node_api\.h.*missing/,
      remedy: /node-gyp|libnode-dev/,
    });
  });

  test('a damaged build is made anew', async (t) => {
    const sandbox = await makeSandbox(t);
    await sandbox.provision();
    const folder = join(sandbox.cacheRoot, realEntry(sandbox));
    await truncate(join(folder, 'tensorflow/libtensorflow_cc.so.2'), 10);
    assertReady(await sandbox.provision(), 'built');
    await writeFile(join(folder, 'built.json'), '{"key":');
    assertReady(await sandbox.provision(), 'built');
    assert.deepEqual(await cacheEntries(sandbox), [realEntry(sandbox)]);
  });

  test('verification sees a changed byte that the size does not show', async (t) => {
    const sandbox = await makeSandbox(t);
    await sandbox.provision();
    await writeFile(
      join(sandbox.cacheRoot, realEntry(sandbox), 'tensorflow/libtensorflow_framework.so.2'),
      'framewurk',
    );
    assertUnavailable(await verifyNative(sandbox), /libtensorflow_framework.* is not as it was built/, /--force/);
  });

  test('a build killed half-way leaves nothing that counts, and the next one clears it away', async (t) => {
    const sandbox = await makeSandbox(t);
    await sandbox.tool('g++', 'setTimeout(() => {}, 3000)');
    const child = startProvisioner(sandbox);
    await waitFor(async () => (await cacheEntries(sandbox)).some((name) => name.startsWith('.build-')));
    await sleep(100);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = await cacheEntries(sandbox);
    assert.ok(
      left.some((name) => name.endsWith('.lock')) && left.some((name) => name.startsWith('.build-')),
      left.join(' '),
    );
    assert.equal(isNativeLinked(sandbox.packageRoot), false);

    const { COMPILER } = await import('./fixtures.ts');
    await sandbox.tool('g++', COMPILER);
    assertReady(await sandbox.provision(), 'built');
    assert.deepEqual(await cacheEntries(sandbox), [realEntry(sandbox)]);
  });

  /** The same call in a process of its own. */
  function startProvisioner(sandbox: Sandbox) {
    const { env, packageRoot, source } = sandbox;
    const options = JSON.stringify({ env, packageRoot, sources: [source] });
    const module = pathToFileURL(join(REPOSITORY, 'infra/native.ts')).href;
    const code = `import(${JSON.stringify(module)}).then((m) => m.provisionNative(${options}))`;
    return spawn(process.execPath, ['--import', 'tsx', '--eval', code], { cwd: REPOSITORY, stdio: 'ignore' });
  }

  async function waitFor(condition: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + 15_000;
    while (!(await condition())) {
      assert.ok(Date.now() < end, 'waited too long');
      await sleep(20);
    }
  }

  test('two at once build once', async (t) => {
    const sandbox = await makeSandbox(t);
    const results = await Promise.all([sandbox.provision(), sandbox.provision()]);
    assert.deepEqual(results.map((result) => result.kind === 'ready' && result.how).sort(), ['built', 'linked']);
    assert.equal(await compilerRuns(sandbox), 5);
    assert.ok(sandbox.lines.some((line) => line.startsWith(`Waiting for process ${process.pid}`)));
  });

  test('gives up in time when a tool hangs', async (t) => {
    const sandbox = await makeSandbox(t);
    await sandbox.tool('pip', `${PIP.replace('require', 'if (1) setTimeout(() => {}, 60_000); else require')}`);
    assertUnavailable(await sandbox.provision({ timeout: 700 }), /not done within 0\.7 s/, /timeout/);
    assert.deepEqual(await cacheEntries(sandbox), []);
  });

  test('an addon from elsewhere is tried and kept, unless forced', async (t) => {
    const sandbox = await makeSandbox(t);
    const path = addonPath(sandbox.packageRoot);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'addon');
    assertReady(await sandbox.provision(), 'foreign');
    assert.equal(await compilerRuns(sandbox), 0);
    await writeFile(path, 'broken');
    assertUnavailable(await sandbox.provision(), /does not load/, /--force/);
    assertReady(await sandbox.provision({ force: true }), 'built');
    assertReady(await sandbox.provision(), 'present');
  });

  test('TERMINAL_RSI_BACKEND=wasm rules it out', async (t) => {
    const sandbox = await makeSandbox(t);
    const result = await sandbox.provision({ env: { ...sandbox.env, TERMINAL_RSI_BACKEND: 'wasm' } });
    assertUnavailable(result, /TERMINAL_RSI_BACKEND=wasm/, /unset/);
  });
});
