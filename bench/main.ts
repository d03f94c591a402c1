/**
 * `npm run bench [-- WHAT]`: measures on this machine. Without a word: tensors and sandboxes, backend beside backend;
 * `lineage`: storing in Postgres beside a folder; `durable`: a durable run beside the same one in one process;
 * `sampling`: samplers beside one process. What stands beside each other is measured in one invocation; the load says
 * how quiet the machine was. `--json`: numbers alone.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import type { BenchReport } from './bench-report.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<BenchReport>>> = {
  backends: async () => (await import('./report-backends.ts')).reportBackends(),
  lineage: async () => (await import('./report-lineage.ts')).reportLineage(),
  sampling: async () => (await import('./report-sampling.ts')).reportSampling(),
  durable: async () => (await import('./report-durable.ts')).reportDurable(),
};

const words = process.argv.slice(2).filter((word) => word !== '--json');
const measure = MEASUREMENTS[words[0] ?? 'backends'];
if (measure === undefined || words.length > 1) {
  console.error(`unknown measurement ${words.join(' ')}; known: ${Object.keys(MEASUREMENTS).join(', ')}`);
  process.exit(2);
}
const load = (): string => (loadavg()[0] ?? 0).toFixed(1);
const before = load();
const { numbers, lines } = await measure();
const machine = {
  cpu: cpus()[0]?.model ?? process.arch,
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  load: { before, after: load() },
};
if (process.argv.includes('--json')) console.log(JSON.stringify({ machine, ...numbers }));
else {
  const { cpu, cores, memoryGb, node, platform } = machine;
  console.log(
    `${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${platform}, load ${before} -> ${machine.load.after}`,
  );
  for (const line of lines) console.log(line);
}
