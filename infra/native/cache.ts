/**
 * The folder of one build in the user's cache: <cache>/terminal-rsi/native/<key>/, complete or not there at all.
 * Its built.json says what was built and the size and digest of every file that a process loads.
 */
import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import { addonSources, KERNELS_ADDON, LOADER_ADDON, loaderSource, RECIPE } from './compile.ts';
import { sha256, sha256File } from './digest.ts';
import { NAPI_VERSION } from './linked.ts';
import type { LibrarySource } from './sources.ts';

const MARKER = 'built.json';

const markerSchema = v.object({
  key: v.string(),
  source: v.string(),
  libtensorflow: v.string(),
  variant: v.picklist(['cpu', 'cuda']),
  /** Over the names and digests of all files below: one word for what runs. */
  digest: v.string(),
  compiler: v.string(),
  node: v.string(),
  builtAt: v.string(),
  seconds: v.number(),
  files: v.array(v.object({ path: v.string(), size: v.number(), sha256: v.string() })),
});

export type BuildMarker = v.InferOutput<typeof markerSchema>;

export function cacheRootOf(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.cache');
  return join(base, 'terminal-rsi', 'native');
}

/** Everything that decides what a build contains, except the compiler. */
export function buildKey(source: LibrarySource, packageRoot: string): string {
  const pins = source.kind === 'wheels' ? source.wheels.map((wheel) => wheel.sha256) : [source.sha256];
  const code = [...addonSources(packageRoot), loaderSource()].map((path) => readFileSync(path));
  return `${source.id}-napi${NAPI_VERSION}-${sha256(`recipe ${RECIPE}`, ...pins, ...code).slice(0, 12)}`;
}

/** The marker of a complete build, or null. Compares sizes only, so it takes no time: `damagedFile` reads the bytes. */
export async function readBuild(folder: string, key: string): Promise<BuildMarker | null> {
  try {
    const marker = v.parse(markerSchema, JSON.parse(await readFile(join(folder, MARKER), 'utf8')));
    const whole = marker.files.every(({ path, size }) => statSync(join(folder, path)).size === size);
    return whole && marker.key === key ? marker : null;
  } catch {
    return null;
  }
}

/** The first file whose bytes are not what was built, or null. */
export async function damagedFile(folder: string, marker: BuildMarker): Promise<string | null> {
  for (const { path, sha256: expected } of marker.files)
    if ((await sha256File(join(folder, path)).catch(() => '')) !== expected) return path;
  return null;
}

/** Written last, inside the build folder: what has a marker is complete. */
export async function writeBuild(
  folder: string,
  facts: Omit<BuildMarker, 'digest' | 'files' | 'builtAt' | 'node'>,
): Promise<BuildMarker> {
  const files: BuildMarker['files'] = [];
  for (const path of await loadedFiles(folder)) {
    const file = join(folder, path);
    files.push({ path, size: (await stat(file)).size, sha256: await sha256File(file) });
  }
  const marker: BuildMarker = {
    ...facts,
    digest: sha256(...files.flatMap((file) => [file.path, file.sha256])),
    node: process.version,
    builtAt: new Date().toISOString(),
    files,
  };
  await writeFile(join(folder, MARKER), `${JSON.stringify(marker, null, 2)}\n`);
  return marker;
}

/** The two addons and every shared library, in a fixed order. */
async function loadedFiles(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return paths.filter((path) => [LOADER_ADDON, KERNELS_ADDON].includes(path) || /\.(so|dylib)(\.|$)/.test(path)).sort();
}
