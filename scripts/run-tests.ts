/**
 * `npm test`: every test/**\/*.test.ts through node:test, each file in a process of its own, two at a time. Tests of
 * tensors (test/model, test/training) run on the backend chosen here, and those of test/model once more on WASM.
 *   npm test -- test/rl test/model     only files below these paths
 *   TERMINAL_RSI_BACKEND=wasm npm test without the native backend
 */
import { setMaxListeners } from 'node:events';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { provisionNative } from '../infra/native.ts';
import { REPOSITORY, sourceFiles } from './source-files.ts';
import { createReport, type TestEvent } from './test-report.ts';

const FILE_TIMEOUT_MS = 15 * 60_000;
const CONCURRENCY = 2;

interface Pass {
  readonly title: string;
  readonly backend: 'native' | 'wasm';
  readonly files: readonly string[];
}

async function main(paths: readonly string[]): Promise<number> {
  const files = testFiles(paths);
  const report = createReport(REPOSITORY, (line) => console.log(line));
  if (files.length === 0) {
    report.fail(`no test file below ${paths.join(', ')}`);
    return report.finish();
  }
  const stop = new AbortController();
  // Every test file listens to it.
  setMaxListeners(0, stop.signal);
  process.once('SIGINT', () => stop.abort());
  for (const pass of passes(files, await chooseBackend())) {
    if (pass.files.length === 0) continue;
    report.pass(pass.title);
    process.env['TERMINAL_RSI_BACKEND'] = pass.backend;
    const members = pass.files.map((file) => resolve(REPOSITORY, file));
    const events = run({ files: members, concurrency: CONCURRENCY, timeout: FILE_TIMEOUT_MS, signal: stop.signal });
    for await (const event of events as AsyncIterable<TestEvent>) report.take(event);
  }
  return report.finish();
}

function testFiles(paths: readonly string[]): string[] {
  const wanted = paths.map((path) => relative(REPOSITORY, resolve(path)));
  return sourceFiles('test', '.test.ts').filter(
    (file) => wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`)),
  );
}

/** Both have to give right numbers, so the model's own tests run on WASM too where native is there. */
function passes(files: readonly string[], backend: 'native' | 'wasm'): Pass[] {
  const model = files.filter((file) => file.startsWith('test/model/'));
  const all: Pass = { title: `backend ${backend}`, backend, files };
  return backend === 'wasm'
    ? [all]
    : [all, { title: 'backend wasm, the model once more', backend: 'wasm', files: model }];
}

async function chooseBackend(): Promise<'native' | 'wasm'> {
  if (process.env['TERMINAL_RSI_BACKEND'] === 'wasm') {
    console.log('Tensors: WASM, as TERMINAL_RSI_BACKEND says; what needs the native backend is skipped');
    return 'wasm';
  }
  const result = await provisionNative({ log: (line) => console.log(`  ${line}`) });
  if (result.kind === 'ready') {
    console.log(`Tensors: native, libtensorflow ${result.libtensorflow} (${result.how})`);
    return 'native';
  }
  if (process.env['TERMINAL_RSI_BACKEND'] === 'native') {
    throw new Error(`TERMINAL_RSI_BACKEND=native, but ${result.reason}; ${result.remedy}`);
  }
  console.log(`Tensors: WASM, as the native backend is not to be had: ${result.reason}; ${result.remedy}`);
  return 'wasm';
}

process.exit(await main(process.argv.slice(2)));
