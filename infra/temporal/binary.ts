/**
 * Finds or makes the Temporal CLI, which carries a development server and the Web UI: on PATH, in the user's cache, by the
 * SDK's download, or compiled from the Go module of the same version (minutes, once a machine).
 */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { withLock } from '../native/lock.ts';
import { downloadCli } from './download.ts';
import { lineOf, temporalFailure } from './failure.ts';

export const CLI_VERSION = '1.5.1';
const MODULE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;
const BUILD_MS = 20 * 60_000;
const TELL_MS = 30_000;

export interface TemporalBinary {
  readonly path: string;
  readonly how: 'path' | 'cached' | 'built';
}

export async function findBinary(log: (line: string) => void, signal?: AbortSignal): Promise<TemporalBinary> {
  const onPath = executableOnPath('temporal');
  if (onPath !== null) {
    log(`Temporal: ${onPath} (on PATH)`);
    return { path: onPath, how: 'path' };
  }
  const folder = cacheFolder();
  const cached = join(folder, 'temporal');
  if (!existsSync(cached)) return makeBinary(folder, cached, log, signal);
  log(`Temporal: ${cached} (cached)`);
  return { path: cached, how: 'cached' };
}

export type FoundBinary =
  | { readonly how: 'path' | 'cached'; readonly path: string }
  | { readonly how: 'to be made'; readonly go: string | null };

/** Where the program would come from; nothing is made. */
export function lookForBinary(): FoundBinary {
  const onPath = executableOnPath('temporal');
  if (onPath !== null) return { how: 'path', path: onPath };
  const cached = join(cacheFolder(), 'temporal');
  return existsSync(cached) ? { how: 'cached', path: cached } : { how: 'to be made', go: executableOnPath('go') };
}

async function makeBinary(
  folder: string,
  cached: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<TemporalBinary> {
  mkdirSync(folder, { recursive: true });
  const limit = AbortSignal.timeout(BUILD_MS);
  const lock = { log, signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) };
  return withLock(join(folder, 'lock'), lock, async () => {
    // Somebody else may have made it while we waited.
    if (existsSync(cached)) return { path: cached, how: 'cached' };
    const work = mkdtempSync(join(folder, 'work-'));
    try {
      const made = (await tryDownload(work, log, signal)) ?? (await build(work, log, signal));
      renameSync(made, cached);
      log(`Temporal: ${cached} (kept for the next start)`);
      return { path: cached, how: 'built' };
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

async function tryDownload(work: string, log: (line: string) => void, signal?: AbortSignal): Promise<string | null> {
  try {
    const made = await downloadCli(work, CLI_VERSION, signal);
    log(`Temporal: downloaded CLI ${CLI_VERSION}`);
    return made;
  } catch (error) {
    signal?.throwIfAborted();
    log(`Temporal: no download (${lineOf(error)})`);
    return null;
  }
}

async function build(work: string, log: (line: string) => void, signal?: AbortSignal): Promise<string> {
  const go = executableOnPath('go');
  if (go === null) {
    throw temporalFailure(
      'there is no server: no `temporal` on PATH, no download, and no Go to compile it with',
      'install the Temporal CLI or Go, or set TEMPORAL_ADDRESS',
    );
  }
  log(`Temporal: compiling CLI ${CLI_VERSION} with ${go}; five minutes, once a machine`);
  const child = spawn(go, ['install', MODULE], {
    env: { ...process.env, GOBIN: work, GOFLAGS: '-modcacherw' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const began = performance.now();
  const minutes = (): string => ((performance.now() - began) / 60_000).toFixed(1);
  const telling = setInterval(() => log(`Temporal: still compiling (${minutes()} min)`), TELL_MS);
  const kill = setTimeout(() => child.kill('SIGKILL'), BUILD_MS);
  // Told so, it ends after the compilers that it has started.
  const end = (): void => void child.kill('SIGINT');
  signal?.addEventListener('abort', end, { once: true });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  clearInterval(telling);
  clearTimeout(kill);
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  const made = join(work, 'temporal');
  if (code === 0 && spawnSync(made, ['--version']).status === 0) return made;
  const last = said.trim().split('\n').at(-1) ?? '';
  throw temporalFailure(`go install ${MODULE} failed (${last})`, 'install the Temporal CLI, or set TEMPORAL_ADDRESS');
}

function cacheFolder(): string {
  const root = process.env['XDG_CACHE_HOME'];
  return join(root && isAbsolute(root) ? root : join(homedir(), '.cache'), 'terminal-rsi', 'temporal', CLI_VERSION);
}

function executableOnPath(name: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not here.
    }
  }
  return null;
}
