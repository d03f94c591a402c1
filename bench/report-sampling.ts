/** `npm run bench -- sampling`: tokens a second of this process against sampler processes, side by side. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchReport } from './bench-report.ts';
import type { SamplingMeasured } from './measure-sampling.ts';

export function reportSampling(): BenchReport {
  const program = fileURLToPath(new URL('./measure-sampling.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the benchmark of sampling failed: ${stderr}`);
  const measured = JSON.parse(stdout) as SamplingMeasured;
  return { numbers: { ...measured }, lines: linesOf(measured) };
}

function linesOf({ backend, rows }: SamplingMeasured): string[] {
  const line = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(14)).join('');
  const baseOf = (batch: number, groups: number): number =>
    rows.find((row) => row.samplers === 0 && row.batch === batch && row.groups === groups)?.tokensPerSecond ?? NaN;
  return [
    `sampling: ${backend}`,
    line(['groups', 'samplers', 'tokens/s', 'ratio', 'MB a sampler']),
    ...rows.map(({ samplers, batch, groups, tokensPerSecond, samplerMb }) => {
      const ratio = `${(tokensPerSecond / baseOf(batch, groups)).toFixed(2)} x`;
      const who = samplers === 0 ? 'in process' : String(samplers);
      return line([`${groups} of ${batch}`, who, tokensPerSecond.toFixed(0), ratio, samplerMb?.toFixed(0) ?? '-']);
    }),
  ];
}
