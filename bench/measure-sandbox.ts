/** Commands a second in embedded sandboxes: the oracle's own commands on tasks of all families, checks included. */
import { availableParallelism } from 'node:os';
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import { TRAINED_FAMILIES } from '../tasks/builtin/families.ts';
import { taskSet } from '../tasks/builtin/task-set.ts';

export interface SandboxMeasured {
  readonly workers: number;
  readonly commandsPerSecond: number;
}

const TASKS = 600;
const SECONDS = 4;

export async function measureSandbox(): Promise<SandboxMeasured[]> {
  const tasks = taskSet({ families: TRAINED_FAMILIES, split: 'train', count: TASKS, seed: 1 });
  const seeds = tasks.map((_, i) => i);
  const results: SandboxMeasured[] = [];
  for (const workers of new Set([1, Math.min(4, availableParallelism())])) {
    const pool = openEmbeddedPool({ workers });
    await pool.play('oracle', tasks.slice(0, 100), seeds.slice(0, 100));
    const began = performance.now();
    let commands = 0;
    do {
      const episodes = await pool.play('oracle', tasks, seeds);
      commands += episodes.reduce((sum, { turns }) => sum + turns.length, 0);
    } while (performance.now() - began < SECONDS * 1000);
    results.push({ workers, commandsPerSecond: (1000 * commands) / (performance.now() - began) });
    await pool.dispose();
  }
  return results;
}
