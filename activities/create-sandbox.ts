/**
 * Activities of the `sandbox` queue: before anything is learned from tasks, they are played for real by the scripted
 * agents (tasks/builtin/validate.ts). No model, no tensors, no database: of a run, only the file of its configuration.
 */
import { activityInfo, CancelledFailure, cancellationSignal, heartbeat, log } from '@temporalio/activity';
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import type { TerminalPool } from '../contracts/sandbox.ts';
import { seedOf } from '../contracts/seeds.ts';
import { openBlobFolder } from '../lineage/blobs/blob-folder.ts';
import { familyNamed } from '../tasks/builtin/families.ts';
import type { Family } from '../tasks/builtin/family.ts';
import { validateFamily, type SplitValidation } from '../tasks/builtin/validate.ts';
import { checkAddedFamilies } from '../training/check-added-families.ts';
import { atBoundary } from './failures.ts';
import { startHeart } from './heart.ts';
import { loadRunConfig } from './load-run-config.ts';
import type { RunMetrics } from './run-metrics.ts';
import type { RunRef } from './run-ref.ts';

export interface SandboxSettings {
  /** Folder of the stored files. */
  readonly blobs: string;
  /** For tests: families and terminals of another making. */
  readonly family?: (name: string) => Family;
  readonly openPool?: () => TerminalPool;
}

export interface TaskCheckNote {
  /** One row a family and split. */
  readonly families: readonly SplitValidation[];
}

/** Of each family and split: enough to meet every kind of sub-goal, few enough for some seconds in all. */
const TASKS_PER_SPLIT = 8;

export function createSandboxActivities(settings: SandboxSettings, metrics: RunMetrics) {
  const { blobs, family = familyNamed, openPool = () => openEmbeddedPool({ workers: 1 }) } = settings;
  return {
    /** Null: the families that the run begins with, and the composition that it never trains on. */
    validateTasks: (run: RunRef, names: readonly string[] | null): Promise<TaskCheckNote> =>
      atBoundary('sandbox', async () => {
        const files = openBlobFolder(blobs);
        const config = await loadRunConfig((digest) => files.get(digest), run);
        // Families of another making have no names of ours.
        if (names !== null && settings.family === undefined) checkAddedFamilies(config, config.tasks.families, names);
        const families = (names ?? ownFamilies(config)).map(family);
        const rows = await withPlayer(openPool, async (player, progress) => {
          const all: SplitValidation[] = [];
          for (const [done, one] of families.entries()) {
            progress({ stage: 'validate-tasks', family: one.name, done, of: families.length });
            all.push(...(await validateFamily(one, player, optionsFor(config, one))));
          }
          return all;
        });
        for (const { family: name, tasks } of rows) metrics.validated(name, tasks);
        log.info('tasks validated', { runId: run.id, families: families.length });
        return { families: rows };
      }),
  };
}

export type SandboxActivities = ReturnType<typeof createSandboxActivities>;

function ownFamilies({ tasks }: RunConfig): readonly string[] {
  return tasks.heldOutComposition > 0 ? [...tasks.families, tasks.composition] : tasks.families;
}

function optionsFor({ seed, tasks }: RunConfig, { name }: Family) {
  const { subGoalWeights, turns, tokensPerTurn, context, commandSeconds } = tasks;
  const place = { runSeed: seed, generation: null, stageIndex: null, purpose: `validate ${name}`, groupIndex: 0 };
  return {
    ...{ tasksPerSplit: TASKS_PER_SPLIT, seed: seedOf(place), subGoalWeights },
    limits: { turns, tokensPerTurn, context, commandSeconds },
  };
}

type Player = Pick<TerminalPool, 'play'>;

/** Terminals for the time of the work, with a heart that beats while it gets on; ended at once when cancelled. */
async function withPlayer<T>(
  openPool: () => TerminalPool,
  work: (player: Player, progress: (details: unknown) => void) => Promise<T>,
): Promise<T> {
  const signal = cancellationSignal();
  const pool = openPool();
  const stop = (): void => void pool.dispose();
  const heart = startHeart({ timeoutMs: activityInfo().heartbeatTimeoutMs ?? 10_000, beat: heartbeat, onStall: stop });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(pool, (details) => heart.progress(details));
  } catch (error) {
    if (signal.aborted) throw signal.reason instanceof CancelledFailure ? signal.reason : new CancelledFailure('ended');
    // Whether a command hangs by its nature or because the machine is slow is not known here: tried again.
    if (error instanceof Failure && error.boundary === 'sandbox') {
      throw new Failure('sandbox', error.message, { retryable: true, cause: error });
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    heart.stop();
    await pool.dispose();
  }
}
