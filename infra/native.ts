/**
 * Gives this checkout the native tensor backend: a pinned libtensorflow, tfjs-node's addon compiled against it, kept in
 * the user's cache and linked into node_modules. `npm run native` and the pipeline's first start call it; a second call,
 * or one after `npm ci`, only renews the link. Without it everything runs on wasm, some ten times slower.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buildFrom } from './native/build.ts';
import { buildKey, cacheRootOf, damagedFile, readBuild, type BuildMarker } from './native/cache.ts';
import { findToolchain } from './native/compile.ts';
import type { ProvisionContext } from './native/context.ts';
import { FetchFailure, ProvisionFailure } from './native/failure.ts';
import { addonPath, hasForeignAddon, linkBuild, tfjsNodeRoot } from './native/linked.ts';
import { withLock } from './native/lock.ts';
import { hasNvidiaGpu, platformOf, thisMachine } from './native/platform.ts';
import { sourcesFor, type LibrarySource } from './native/sources.ts';
import { verifyAddon } from './native/verify.ts';

export { isNativeLinked } from './native/linked.ts';

export interface NativeReady {
  readonly kind: 'ready';
  /** 'present': was linked already; 'linked': from the cache; 'built': just now; 'foreign': an addon not built here. */
  readonly how: 'present' | 'linked' | 'built' | 'foreign';
  readonly libtensorflow: string;
  /** null where a foreign addon does not say. */
  readonly variant: 'cpu' | 'cuda' | null;
  /** SHA-256 over all files that are loaded; null for a foreign addon. */
  readonly digest: string | null;
  readonly seconds: number;
}

export interface NativeUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
  readonly remedy: string;
}

export type NativeResult = NativeReady | NativeUnavailable;

export interface ProvisionOptions {
  /** true: CUDA; false: CPU; left out: CUDA where an NVIDIA GPU is seen. */
  readonly cuda?: boolean | undefined;
  /** Builds anew even if the cache has it. */
  readonly force?: boolean | undefined;
  readonly log?: (line: string) => void;
  /** Milliseconds for the whole attempt; default 20 minutes. */
  readonly timeout?: number | undefined;
  /** Gives the attempt up. */
  readonly signal?: AbortSignal | undefined;
  /** For tests: another environment, package folder or list of sources. */
  readonly env?: NodeJS.ProcessEnv;
  readonly packageRoot?: string;
  readonly sources?: readonly LibrarySource[];
}

type Outcome = Omit<NativeReady, 'kind' | 'seconds'>;

const TIMEOUT_MS = 20 * 60_000;

/** Never throws for what a person can put right: that comes back as `unavailable`, with a remedy. */
export function provisionNative(options: ProvisionOptions = {}): Promise<NativeResult> {
  return attempt(options, (context) => provision(options, context));
}

/** Reads every byte of the linked build again and tries it; builds and changes nothing. */
export function verifyNative(options: ProvisionOptions = {}): Promise<NativeResult> {
  return attempt(options, verify);
}

async function provision(options: ProvisionOptions, context: ProvisionContext): Promise<Outcome> {
  const sources = options.sources ?? chooseSources(options.cuda, context);
  const force = options.force ?? false;
  if (!force) {
    if (hasForeignAddon(context.packageRoot)) return tryForeign(context);
    const cached = await linkCached(sources, context);
    if (cached !== null) return cached;
  }
  const failures: FetchFailure[] = [];
  for (const source of sources) {
    try {
      return await build(source, force, context);
    } catch (error) {
      if (!(error instanceof FetchFailure) || context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  // The first source is the one meant to work, so its remedy is the one to give.
  const [first] = failures;
  const others = failures.slice(1).map((failure) => `; instead: ${failure.message}`);
  throw new ProvisionFailure(`${first?.message}${others.join('')}`, first?.remedy ?? 'go on with the wasm backend');
}

async function build(source: LibrarySource, force: boolean, context: ProvisionContext): Promise<Outcome> {
  const toolchain = findToolchain(context);
  const key = buildKey(source, context.packageRoot);
  const folder = join(context.cacheRoot, key);
  await mkdir(context.cacheRoot, { recursive: true });
  return withLock(join(context.cacheRoot, `${key}.lock`), context, async () => {
    // Whoever held the lock before may have built it.
    const ready = force ? null : await readBuild(folder, key);
    const marker = ready ?? (await buildFrom(source, key, toolchain, context));
    await linkBuild(context.packageRoot, folder, dirname(source.libraries[0]));
    return outcomeOf(ready === null ? 'built' : 'linked', marker);
  });
}

function chooseSources(cuda: boolean | undefined, { log }: ProvisionContext): readonly LibrarySource[] {
  const platform = platformOf(thisMachine());
  const seen = cuda === undefined && hasNvidiaGpu() && sourcesFor(platform, true).length > 0;
  if (seen) log('An NVIDIA GPU is here: taking the CUDA build (about 3.3 GB to download; --no-cuda declines)');
  const sources = sourcesFor(platform, cuda ?? seen);
  if (sources.length === 0) throw new ProvisionFailure(`there is no CUDA build for ${platform}`, 'leave --cuda out');
  return sources;
}

async function linkCached(sources: readonly LibrarySource[], context: ProvisionContext): Promise<Outcome | null> {
  for (const source of sources) {
    const key = buildKey(source, context.packageRoot);
    const folder = join(context.cacheRoot, key);
    const marker = await readBuild(folder, key);
    if (marker === null) continue;
    const changed = await linkBuild(context.packageRoot, folder, dirname(source.libraries[0]));
    return outcomeOf(changed ? 'linked' : 'present', marker);
  }
  return null;
}

async function tryForeign(context: ProvisionContext): Promise<Outcome> {
  context.log('node_modules holds an addon that was not built here; trying it');
  const remedy = 'replace it by one of ours: npm run native -- --force';
  const { library } = await verifyAddon(addonPath(context.packageRoot), remedy, context);
  return { how: 'foreign', variant: null, libtensorflow: library, digest: null };
}

async function verify(context: ProvisionContext): Promise<Outcome> {
  if (hasForeignAddon(context.packageRoot)) return tryForeign(context);
  const addon = await realpath(addonPath(context.packageRoot)).catch(() => {
    throw new ProvisionFailure('no native backend is linked', 'run: npm run native');
  });
  const remedy = 'run: npm run native -- --force';
  const folder = dirname(addon);
  const marker = await readBuild(folder, basename(folder));
  const damaged = marker === null ? 'built.json or a library' : await damagedFile(folder, marker);
  if (marker === null || damaged !== null)
    throw new ProvisionFailure(`${damaged} in ${folder} is not as it was built`, remedy);
  context.log(`All ${marker.files.length} files have the digests that they were built with`);
  await verifyAddon(addon, remedy, context);
  return outcomeOf('present', marker);
}

function outcomeOf(how: Outcome['how'], { libtensorflow, variant, digest }: BuildMarker): Outcome {
  return { how, libtensorflow, variant, digest };
}

async function attempt(
  options: ProvisionOptions,
  work: (context: ProvisionContext) => Promise<Outcome>,
): Promise<NativeResult> {
  const started = performance.now();
  const { env = process.env, timeout = TIMEOUT_MS, log = () => undefined } = options;
  const limit = AbortSignal.timeout(timeout);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  try {
    if (env['TERMINAL_RSI_BACKEND'] === 'wasm')
      throw new ProvisionFailure(
        'TERMINAL_RSI_BACKEND=wasm rules the native backend out',
        'unset TERMINAL_RSI_BACKEND',
      );
    const packageRoot = options.packageRoot ?? tfjsNodeRoot();
    if (packageRoot === null) throw new ProvisionFailure('@tensorflow/tfjs-node-gpu is not installed', 'run: npm ci');
    const outcome = await work({ env, log, signal, packageRoot, cacheRoot: cacheRootOf(env) });
    return { kind: 'ready', ...outcome, seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    if (error instanceof ProvisionFailure) return unavailable(error.message, error.remedy);
    if (options.signal?.aborted) return unavailable('it was stopped', 'run the same command again');
    if (signal.aborted)
      return unavailable(`it was not done within ${timeout / 1000} s`, 'try again with a longer --timeout');
    return explainSystemError(error);
  }
}

function unavailable(reason: string, remedy: string): NativeUnavailable {
  return { kind: 'unavailable', reason, remedy };
}

/** Disk and permission errors are a person's to put right; anything else is a defect here and stays an exception. */
function explainSystemError(error: unknown): NativeUnavailable {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return unavailable('the disk is full', 'free some space and try again');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return unavailable(`${path ?? 'a folder'} may not be written`, 'give yourself the right to, or set XDG_CACHE_HOME');
  if (code !== undefined && /^E[A-Z0-9]+$/.test(code))
    return unavailable(`the system says: ${message}`, 'put that right and try again');
  throw error;
}
