/**
 * `npm run bench`: how fast the three costly things are, on each backend of this machine: a training step of the
 * policy at the demo's shapes, batched sampling, and sandbox commands. Backends run one after the other, each in a
 * process of its own, and stand side by side with their ratio.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isNativeLinked } from '../infra/native.ts';
import type { BenchReport } from './bench-report.ts';
import type { Measured } from './measure-backend.ts';
import { measureSandbox } from './measure-sandbox.ts';

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly native: number | null;
  readonly wasm: number;
  /** True where more is better. */
  readonly isRate: boolean;
}

function measure(backend: 'native' | 'wasm'): Measured {
  const program = fileURLToPath(new URL('./measure-backend.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
    encoding: 'utf8',
    env: { ...process.env, TERMINAL_RSI_BACKEND: backend },
  });
  if (status !== 0) throw new Error(`the ${backend} benchmark failed: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

function rowsOf(native: Measured | null, wasm: Measured): Row[] {
  const row = (what: string, unit: string, isRate: boolean, take: (measured: Measured) => number): Row => ({
    ...{ what, unit, isRate, native: native === null ? null : take(native), wasm: take(wasm) },
  });
  return [
    row('training step of the policy', 'ms', false, ({ trainStepMs }) => trainStepMs),
    row('decoding step, 128 rows', 'ms', false, ({ decodeStepMs }) => decodeStepMs),
    row('decoding steps', '/s', true, ({ decodeStepMs }) => 1000 / decodeStepMs),
    row('sampled tokens', '/s', true, ({ tokensPerSecond }) => tokensPerSecond),
    row('resident memory', 'MB', false, ({ residentMb }) => residentMb),
  ];
}

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(30) : cell.padStart(11))).join('');
}

function table(rows: readonly Row[]): string[] {
  const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  return [
    line(['', 'unit', 'native', 'wasm', 'ratio']),
    ...rows.map(({ what, unit, native, wasm, isRate }) => {
      const ratio = native === null ? '-' : `${number(isRate ? native / wasm : wasm / native)} x`;
      return line([what, unit, native === null ? '-' : number(native), number(wasm), ratio]);
    }),
  ];
}

export async function reportBackends(): Promise<BenchReport> {
  const native = isNativeLinked() ? measure('native') : null;
  const wasm = measure('wasm');
  const sandbox = await measureSandbox();
  return {
    numbers: { native, wasm, sandbox },
    lines: [
      native === null ? 'native: not linked (npm run native)' : `native: ${native.backend}`,
      ...[`wasm: ${wasm.backend}`, '', ...table(rowsOf(native, wasm))],
      ...['', 'ratio: how many times faster (memory: smaller) native is', ''],
      ...sandbox.map(({ workers, commandsPerSecond }) => {
        const who = `${workers} worker${workers === 1 ? '' : 's'}`;
        return `sandbox commands, ${who}: ${commandsPerSecond.toFixed(0)} /s`;
      }),
    ],
  };
}
