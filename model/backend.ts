/**
 * Opens the tensor library for a process: libtensorflow through tfjs-node ('native') or WebAssembly ('wasm').
 * Called once at the start of every process that computes. Both register themselves in the one @tensorflow/tfjs
 * module, so model code never asks which of them runs (model/ops.ts, with its fused kernels, is the exception).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { dirname, sep } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type * as Wasm from '@tensorflow/tfjs-backend-wasm';
import { isNativeLinked } from '../infra/native/linked.ts';
import { rawOp, type RawOp } from './raw-op.ts';
import { tf } from './tf.ts';

export { rawOp } from './raw-op.ts';

export type BackendName = 'native' | 'wasm';

export interface BackendOptions {
  /** 'auto' (default) takes native when its addon is linked. TERMINAL_RSI_BACKEND=native|wasm overrides. */
  readonly prefer?: BackendName | 'auto';
  /** Threads within one operation, native only. Default: the CPUs this process may use. */
  readonly threads?: number;
}

/** What has an influence on the bits of the results; recorded with each checkpoint. */
export interface BackendDescription {
  readonly library: 'libtensorflow' | 'tfjs-backend-wasm';
  readonly version: string;
  readonly tfjs: string;
  readonly device: 'cpu' | 'gpu';
  /** null: not ours to set (native in a worker thread, whose environment changes the library does not see). */
  readonly threads: number | null;
  readonly oneDnn: boolean;
  /** Vector instructions: always on native, where the engine has them on wasm. */
  readonly simd: boolean;
  readonly cpuModel: string;
  readonly cpuFlags: readonly string[];
  /** Why 'auto' did not take native, though it was linked. */
  readonly fallback: string | null;
}

export interface Backend {
  readonly name: BackendName;
  readonly tf: typeof tf;
  readonly describe: BackendDescription;
  /** TensorFlow kernels by name; null on wasm. */
  readonly rawOp: RawOp | null;
}

const require = createRequire(import.meta.url);
const opened = new Map<BackendName, Backend>();

/** True when the native backend is the active one. */
export function isNative(): boolean {
  return tf.getBackend() === 'tensorflow';
}

/** Opens, or opens again, the backend of this process and makes it the active one. Throws if a wanted one is not there. */
export async function openBackend(options: BackendOptions = {}): Promise<Backend> {
  const wanted = wantedBackend(options.prefer ?? 'auto');
  if (wanted !== 'auto') return open(wanted, options, null);
  if (opened.has('native')) return open('native', options, null);
  if (!isNativeLinked()) return open('wasm', options, null);
  try {
    return await open('native', options, null);
  } catch (error) {
    return open('wasm', options, messageOf(error));
  }
}

function wantedBackend(prefer: BackendName | 'auto'): BackendName | 'auto' {
  const forced = process.env['TERMINAL_RSI_BACKEND'];
  if (forced === undefined || forced === '') return prefer;
  if (forced === 'native' || forced === 'wasm' || forced === 'auto') return forced;
  throw new Error(`TERMINAL_RSI_BACKEND is '${forced}'; it must be native, wasm or auto`);
}

async function open(name: BackendName, options: BackendOptions, fallback: string | null): Promise<Backend> {
  const before = opened.get(name);
  if (before !== undefined) return reuse(before, options.threads);
  const backend =
    name === 'native' ? await openNative(options.threads ?? availableParallelism()) : await openWasm(fallback);
  opened.set(name, backend);
  return backend;
}

/** The thread count of libtensorflow is fixed when it loads. */
async function reuse(backend: Backend, threads: number | undefined): Promise<Backend> {
  const { threads: had } = backend.describe;
  if (backend.name === 'native' && threads !== undefined && had !== null && had !== threads)
    throw new Error(`The native backend runs with ${had} threads in this process; ${threads} needs a new process`);
  await activate(backend.name === 'native' ? 'tensorflow' : 'wasm');
  return backend;
}

async function openNative(threads: number): Promise<Backend> {
  if (!isNativeLinked()) throw new Error('The native backend is not installed; run: npm run native');
  const threadsKnown = setEnvironment(threads);
  polyfillUtil();
  try {
    require('@tensorflow/tfjs-node-gpu');
  } catch (error) {
    throw new Error(`The native backend does not load (${messageOf(error)}); run: npm run native -- --force`);
  }
  await activate('tensorflow');
  const kernels = tf.backend() as unknown as { isUsingGpuDevice: boolean; binding: { TF_Version: string } };
  return {
    name: 'native',
    tf,
    rawOp,
    describe: {
      ...describeMachine(null),
      library: 'libtensorflow',
      version: kernels.binding.TF_Version,
      device: kernels.isUsingGpuDevice ? 'gpu' : 'cpu',
      threads: threadsKnown,
      oneDnn: process.env['TF_ENABLE_ONEDNN_OPTS'] === '1',
      simd: true,
    },
  };
}

async function openWasm(fallback: string | null): Promise<Backend> {
  const wasm = require('@tensorflow/tfjs-backend-wasm') as typeof Wasm;
  // The package's own files by path: nothing is fetched.
  wasm.setWasmPaths(dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + sep);
  await activate('wasm');
  return {
    name: 'wasm',
    tf,
    rawOp: null,
    describe: {
      ...describeMachine(fallback),
      library: 'tfjs-backend-wasm',
      version: wasm.version_wasm,
      device: 'cpu',
      threads: 1,
      oneDnn: false,
      simd: Boolean(await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')),
    },
  };
}

async function activate(backend: 'tensorflow' | 'wasm'): Promise<void> {
  if (!(await tf.setBackend(backend))) throw new Error(`tfjs refused its ${backend} backend`);
  await tf.ready();
}

/** libtensorflow reads these once, when it loads. Returns the thread count in force, or null when it is not known. */
function setEnvironment(threads: number): number | null {
  const defaults = {
    TF_CPP_MIN_LOG_LEVEL: '2',
    TF_ENABLE_ONEDNN_OPTS: process.arch === 'x64' ? '1' : '0',
    TF_DETERMINISTIC_OPS: '1',
    // A process of ours shares its GPU with the sampler beside it.
    TF_FORCE_GPU_ALLOW_GROWTH: 'true',
  };
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  process.env['TF_NUM_INTRAOP_THREADS'] = String(threads);
  process.env['TF_NUM_INTEROP_THREADS'] ??= '1';
  return isMainThread ? threads : null;
}

/** tfjs-node 4.22 calls util.isNullOrUndefined, which Node 23 removed. */
function polyfillUtil(): void {
  const util = require('node:util') as { isNullOrUndefined?: (value: unknown) => boolean };
  if (typeof util.isNullOrUndefined !== 'function')
    util.isNullOrUndefined = (value) => value === null || value === undefined;
}

function describeMachine(fallback: string | null) {
  return { tfjs: tf.version.tfjs, cpuModel: cpus()[0]?.model ?? process.arch, cpuFlags: vectorFlags(), fallback };
}

/** The CPU flags by which oneDNN and Eigen choose their kernels. */
function vectorFlags(): string[] {
  try {
    const flags = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    return flags.split(' ').filter((flag) => /^(avx|fma|amx|sse4|sve|asimd)/.test(flag));
  } catch {
    return [];
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
