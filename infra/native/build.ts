/** Makes one complete build: fetch, unpack, compile, try, and only then let it appear in the cache. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { downloadArchive } from './archive.ts';
import { writeBuild, type BuildMarker } from './cache.ts';
import { compileObjects, linkAddons, LOADER_ADDON, type Toolchain } from './compile.ts';
import type { ProvisionContext } from './context.ts';
import { ProvisionFailure } from './failure.ts';
import type { LibrarySource } from './sources.ts';
import { verifyAddon } from './verify.ts';
import { downloadWheels, unpackHeaders, unpackLibraries } from './wheels.ts';

const SHARED_LIBRARY_TROUBLE = 'if a system library is missing, install it and try again';

/** Call with the lock of `key` held. Leaves <cacheRoot>/<key> whole, or as it was. */
export async function buildFrom(
  source: LibrarySource,
  key: string,
  toolchain: Toolchain,
  context: ProvisionContext,
): Promise<BuildMarker> {
  const started = performance.now();
  const staging = `.build-${key}-`;
  await removeLeftovers(staging, context.cacheRoot);
  await requireSpace(source, context.cacheRoot);
  const root = join(context.cacheRoot, `${staging}${randomBytes(4).toString('hex')}`);
  await mkdir(root);
  try {
    const objects = await fetchAndCompile(source, root, toolchain, context);
    await linkAddons(source, root, objects, toolchain, context);
    context.log('Trying it: products and gradients with known values');
    const { device } = await verifyAddon(join(root, LOADER_ADDON), SHARED_LIBRARY_TROUBLE, context);
    if (source.variant === 'cuda' && device === 'cpu')
      context.log('The CUDA build works, but finds no usable GPU here');
    const marker = await writeBuild(root, {
      key,
      source: source.id,
      libtensorflow: source.version,
      variant: source.variant,
      compiler: basename(toolchain.compiler),
      seconds: (performance.now() - started) / 1000,
    });
    await putInPlace(root, join(context.cacheRoot, key));
    return marker;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function fetchAndCompile(
  source: LibrarySource,
  root: string,
  toolchain: Toolchain,
  context: ProvisionContext,
): Promise<string[]> {
  if (source.kind === 'archive') {
    await downloadArchive(source, root, context);
    return compileObjects(source, root, toolchain, context);
  }
  const download = join(root, 'download');
  const wheels = await downloadWheels(source, download, context);
  await unpackHeaders(wheels, root);
  const [objects] = await Promise.all([
    compileObjects(source, root, toolchain, context),
    unpackLibraries(wheels, root),
  ]);
  await rm(download, { recursive: true, force: true });
  return objects;
}

/** An older build of the same key (damaged, or --force) is moved aside first: a rename cannot replace a full folder. */
async function putInPlace(root: string, folder: string): Promise<void> {
  const aside = join(dirname(folder), `.old-${basename(folder)}-${randomBytes(4).toString('hex')}`);
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(root, folder);
  await rm(aside, { recursive: true, force: true });
}

/** What an interrupted build of this key left: its maker is gone, or it would hold the lock. */
async function removeLeftovers(staging: string, cacheRoot: string): Promise<void> {
  const old = staging.replace('.build-', '.old-');
  for (const name of await readdir(cacheRoot))
    if (name.startsWith(staging) || name.startsWith(old))
      await rm(join(cacheRoot, name), { recursive: true, force: true });
}

async function requireSpace(source: LibrarySource, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= source.diskBytes) return;
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  throw new ProvisionFailure(
    `${folder} has ${gib(bavail * bsize)} GiB free; ${gib(source.diskBytes)} GiB are needed`,
    'free some space, or set XDG_CACHE_HOME to a folder on a larger disk',
  );
}
