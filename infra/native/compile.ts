/** Compiles tfjs-node's own addon sources and the loader beside this file against an unpacked libtensorflow. */
import { cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mkdir, rm } from 'node:fs/promises';
import { findProgram, runCommand, tellingLine } from './command.ts';
import type { ProvisionContext } from './context.ts';
import { ProvisionFailure } from './failure.ts';
import { NAPI_VERSION } from './linked.ts';
import { findNodeHeaders } from './node-headers.ts';
import type { LibrarySource } from './sources.ts';

/** What tfjs-node opens, and the real addon that it hands over to. */
export const LOADER_ADDON = 'tfjs_binding.node';
export const KERNELS_ADDON = 'tfjs_kernels.node';

/** Part of a build's key: raise it when flags or layout change. */
export const RECIPE = 2;

const LOADER_SOURCE = fileURLToPath(new URL('loader.cc', import.meta.url));

export interface Toolchain {
  readonly compiler: string;
  readonly headers: string;
}

/** Checked before anything is downloaded. */
export function findToolchain({ env }: Pick<ProvisionContext, 'env'>): Toolchain {
  const compiler = findProgram([env['CXX'] ?? '', 'g++', 'clang++', 'c++'], env);
  if (compiler === null)
    throw new ProvisionFailure(
      'no C++ compiler (g++ or clang++) is on the PATH',
      process.platform === 'darwin' ? 'run `xcode-select --install`' : 'install one (Debian: apt-get install g++)',
    );
  return { compiler, headers: findNodeHeaders(env) };
}

export function addonSources(packageRoot: string): string[] {
  return ['tfjs_backend.cc', 'tfjs_binding.cc'].map((name) => join(packageRoot, 'binding', name));
}

export function loaderSource(): string {
  return LOADER_SOURCE;
}

/** Needs only the headers; returns the object files. */
export async function compileObjects(
  source: LibrarySource,
  root: string,
  { compiler, headers }: Toolchain,
  context: ProvisionContext,
): Promise<string[]> {
  context.log(`Compiling the addon with ${basename(compiler)}`);
  const folder = join(root, 'objects');
  await mkdir(folder, { recursive: true });
  const flags = [
    ...['-std=c++17', '-O2', '-fPIC', '-w', `-DNAPI_VERSION=${NAPI_VERSION}`, '-DBUILDING_NODE_EXTENSION'],
    ...[headers, join(root, source.include), context.packageRoot].map((include) => `-I${include}`),
    // Error messages name their source file; without this the bytes would depend on where the checkout lies.
    `-ffile-prefix-map=${context.packageRoot}=tfjs-node-gpu`,
    `-DFRAMEWORK_LIBRARY="${source.libraries[1]}"`,
    `-DKERNELS_ADDON="${KERNELS_ADDON}"`,
    `-DLOG_SYMBOL="${source.logSymbol ?? ''}"`,
  ];
  const compileOne = async (file: string) => {
    const object = join(folder, `${basename(file)}.o`);
    await compile(compiler, [...flags, '-c', file, '-o', object], context);
    return object;
  };
  const files = [...addonSources(context.packageRoot), LOADER_SOURCE];
  if (cpus().length > 1) return Promise.all(files.map(compileOne));
  const objects: string[] = [];
  for (const file of files) objects.push(await compileOne(file));
  return objects;
}

/** Writes both addons into `root`. Their run path is relative, so the folder may be renamed afterwards. */
export async function linkAddons(
  source: LibrarySource,
  root: string,
  objects: readonly string[],
  { compiler }: Toolchain,
  context: ProvisionContext,
): Promise<void> {
  const darwin = process.platform === 'darwin';
  const shared = darwin ? ['-bundle', '-undefined', 'dynamic_lookup'] : ['-shared'];
  const origin = darwin ? '@loader_path' : '$ORIGIN';
  const loader = objects.filter((object) => basename(object) === `${basename(LOADER_SOURCE)}.o`);
  const kernels = objects.filter((object) => !loader.includes(object));
  const libraries = source.libraries.map((library) => join(root, library));
  const runPath = `-Wl,-rpath,${origin}/${dirname(source.libraries[0])}`;
  await compile(compiler, [...shared, ...kernels, ...libraries, runPath, '-o', join(root, KERNELS_ADDON)], context);
  await compile(compiler, [...shared, ...loader, ...(darwin ? [] : ['-ldl']), '-o', join(root, LOADER_ADDON)], context);
  await rm(join(root, 'objects'), { recursive: true, force: true });
}

async function compile(compiler: string, args: readonly string[], context: ProvisionContext): Promise<void> {
  const { code, endedBy, output } = await runCommand(compiler, args, context);
  if (code === 0) return;
  const why = endedBy === null ? tellingLine(output) : `it was ended by ${endedBy}`;
  throw new ProvisionFailure(
    `${basename(compiler)} could not build the addon: ${why}`,
    'a compiler with C++17 is needed (g++ 8 or newer), with its standard library',
  );
}
