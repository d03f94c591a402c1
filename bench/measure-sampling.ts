/**
 * Run as a process by report-sampling.ts: episodes of the demo's model on the demo's tasks, played in this process and by
 * samplers, turn by turn in one run, so that what else the machine does meets all alike. Prints the numbers as JSON.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import { plainPrompt } from '../agent/transcript.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { openFolderStore } from '../lineage/folder-store.ts';
import { openBackend } from '../model/backend.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from '../training/context.ts';
import type { EpisodeRequest } from '../training/episode.ts';
import { playInProcess } from '../training/players/in-process.ts';
import type { ActingPolicy, Players } from '../training/players/players.ts';
import { openSamplerPool } from '../training/players/sampler-pool.ts';
import { trainTasks } from '../training/task-sets.ts';
import { warmStart } from '../training/warm-start.ts';
import { openWeightCache } from '../training/weight-cache.ts';

export interface SamplingMeasured {
  readonly backend: string;
  readonly rows: readonly SamplingRow[];
}

export interface SamplingRow {
  /** 0: in the process that asks. */
  readonly samplers: number;
  /** Episodes of a group. */
  readonly batch: number;
  /** Groups there are at once. */
  readonly groups: number;
  /** Of the policy; the best of the rounds. */
  readonly tokensPerSecond: number;
  /** Of the samplers, in megabytes each: their own memory and their share of what is common. */
  readonly samplerMb: number | null;
}

const ROUNDS = 2;
/** Enough demonstrations for episodes that end as those of a run do. */
const DEMONSTRATIONS = 3072;

const config = parseRunConfig({ warmStart: { demonstrations: DEMONSTRATIONS, rewriteDemonstrations: 0 } });
const tokenizer = openTokenizer();
const { name, describe } = await openBackend();
const model = {
  ...config.model,
  ...{ vocabSize: Math.ceil(tokenizer.vocabSize / 8) * 8, normEps: 1e-5, context: config.tasks.context },
};
const folder = mkdtempSync(join(tmpdir(), 'bench-sampling-'));
const store = await openFolderStore(folder);
const terminals = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
const weights = openWeightCache(store, model);
const here = playInProcess({ model, tokenizer, terminals });
const pools = [1, 2].map((count) => openSamplerPool(count, { model, backend: name, sandboxThreads: 1 }));
const { signal } = new AbortController();
const context: LoopContext = {
  ...{ config, model, store, terminals, players: here, tokenizer, weights, tasks: new Map(), signal },
  ...{ elapsed: () => 0, report: () => undefined },
};

/** As a rollout of so many groups would ask for them: tokens a second. */
async function rate(
  players: Players,
  groups: readonly (readonly EpisodeRequest[])[],
  acting: ActingPolicy,
): Promise<number> {
  let next = 0;
  let tokens = 0;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (next < groups.length) {
      const members = groups[next++] as readonly EpisodeRequest[];
      const { episodes } = await players.play(members, acting, Math.ceil(players.width / groups.length), signal);
      for (const { transcript } of episodes) tokens += transcript?.actionMask.reduce((sum, mask) => sum + mask, 0) ?? 0;
    }
  };
  await Promise.all(Array.from({ length: players.lanes }, lane));
  return (1000 * tokens) / (performance.now() - began);
}

/** Proportional share of a process's memory; null where the system does not tell it. */
function megabytesOf(pid: number): number | null {
  try {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

try {
  const { policy } = await warmStart(context);
  const acting = { parameters: await weights.load(policy), policy, temperature: 1 };
  const tasks = await trainTasks(context, { generation: 1, stageIndex: 0, step: 'bench', iteration: 0 }, 384);
  const requests = tasks.map((task, seed): EpisodeRequest => ({
    ...{
      task,
      purpose: 'rollout',
      promptIds: plainPrompt(tokenizer, task),
      seed,
      sample: 0,
      parentId: null,
      mode: null,
    },
  }));
  const rows: SamplingRow[] = [];
  for (const [batch, groups] of [[128, 1], [128, 3], [64, 6], [32, 12]] as const) {
    const asked = Array.from({ length: groups }, (_, i) => requests.slice(i * batch, (i + 1) * batch));
    const best = new Map<Players, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const players of [here, ...pools]) {
        best.set(players, Math.max(best.get(players) ?? 0, await rate(players, asked, acting)));
      }
    }
    for (const [players, tokensPerSecond] of best) {
      const pids = pools.find((pool) => pool === players)?.pids() ?? [];
      rows.push({ samplers: pids.length, batch, groups, tokensPerSecond, samplerMb: megabytesOf(pids[0] ?? 0) });
    }
  } // prettier-ignore
  const measured: SamplingMeasured = {
    backend: `${name}, ${describe.library} ${describe.version}, ${describe.device}`,
    rows,
  };
  console.log(JSON.stringify(measured));
} finally {
  for (const pool of pools) await pool.close();
  weights.dispose();
  await terminals.dispose();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
