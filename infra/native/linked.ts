/**
 * Where @tensorflow/tfjs-node-gpu expects its addon, and the link there to a build in the cache.
 * model/backend.ts asks isNativeLinked before each load, so this file is small and imports nothing of the build.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The N-API level that the addon is built for; the package looks under lib/napi-v8. */
export const NAPI_VERSION = 8;

/** Root folder of the installed package, or null when it is not installed. */
export function tfjsNodeRoot(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-node-gpu/package.json'));
  } catch {
    return null;
  }
}

/** The path that `require('@tensorflow/tfjs-node-gpu')` opens. */
export function addonPath(packageRoot: string): string {
  return join(packageRoot, 'lib', `napi-v${NAPI_VERSION}`, 'tfjs_binding.node');
}

/** True when the native addon is in place and not hidden; a dangling link counts as absent. */
export function isNativeLinked(packageRoot: string | null = tfjsNodeRoot()): boolean {
  if (process.env['TERMINAL_RSI_BACKEND'] === 'wasm') return false;
  return packageRoot !== null && existsSync(addonPath(packageRoot));
}

/** True for an addon that something else put there, such as `npm rebuild @tensorflow/tfjs-node-gpu`. */
export function hasForeignAddon(packageRoot: string): boolean {
  return lstatSync(addonPath(packageRoot), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Makes the package open the build in `folder`. Returns false if it did so already. */
export async function linkBuild(packageRoot: string, folder: string, libraryFolder: string): Promise<boolean> {
  const changed = await pointTo(addonPath(packageRoot), join(folder, 'tfjs_binding.node'));
  // Nothing of ours reads deps/lib; it is where the package's own scripts look for the library.
  const deps = join(packageRoot, 'deps', 'lib');
  const foreign = lstatSync(deps, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!foreign) await pointTo(deps, join(folder, libraryFolder));
  return changed;
}

/** Replaces by rename, so a process that loads at this moment finds the old addon or the new one. */
async function pointTo(path: string, target: string): Promise<boolean> {
  if (linkTarget(path) === target) return false;
  await mkdir(dirname(path), { recursive: true });
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  await symlink(target, next);
  await rename(next, path);
  return true;
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
