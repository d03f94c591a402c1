/**
 * Failed machines: an episode whose sandbox fails for good has no verdict and is neither learned from nor counted;
 * one whose sandbox fails once is played again and nothing shows.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Failure } from '../../contracts/failures.ts';
import type { TerminalPool } from '../../contracts/sandbox.ts';
import type { Task } from '../../contracts/task.ts';
import { ratesOf } from '../../training/rates.ts';
import { groupsIn } from './stored-groups.ts';
import { tinyConfig, tinyRun, warmFolder, type TinyRun } from './tiny-run.ts';

const CONFIG = tinyConfig();

/** About one task in five, by its content; tasks of all splits. */
const isDoomed = (task: Task): boolean => Number.parseInt(task.id.slice(0, 2), 16) < 50;

/** A pool in which opening or a command fails as `fails` says, given the task and how often it was asked for. */
function faulty(pool: TerminalPool, fails: (task: Task, asked: number) => 'open' | 'step' | null): TerminalPool {
  const tasks = new Map<string, Task>();
  const asked = new Map<string, number>();
  const broken = (episode: string): Failure => new Failure('sandbox', 'the machine is gone', { subject: episode });
  return {
    ...pool,
    open: (episode, task) => {
      tasks.set(episode, task);
      asked.set(task.id, (asked.get(task.id) ?? 0) + 1);
      if (fails(task, asked.get(task.id) ?? 0) === 'open') return Promise.reject(broken(episode));
      return pool.open(episode, task);
    },
    step: (episode, command) => {
      const task = tasks.get(episode) as Task;
      if (fails(task, asked.get(task.id) ?? 0) === 'step') return Promise.reject(broken(episode));
      return pool.step(episode, command);
    },
  };
}

let undisturbed: TinyRun;

before(async () => {
  undisturbed = await tinyRun(CONFIG, { folder: await warmFolder() });
});

test('a machine that fails once or twice leaves no trace in what was computed', async () => {
  const { result } = await tinyRun(CONFIG, {
    folder: await warmFolder(),
    // By the second letter of the id: opening fails, or a command; once, or twice in a row.
    terminals: (pool) =>
      faulty(pool, (task, asked) => {
        const kind = Number.parseInt(task.id.slice(2, 3), 16);
        if (asked > 1 + (kind % 2)) return null;
        return kind < 4 ? 'open' : kind < 8 ? 'step' : null;
      }),
  });
  assert.equal(result.contentHead, undisturbed.result.contentHead);
});

test('a machine that stays broken: no verdict, not trained on, not counted; the others are as without it', async () => {
  const { result, folder } = await tinyRun(CONFIG, {
    folder: await warmFolder(),
    terminals: (pool) =>
      faulty(pool, (task) => (isDoomed(task) ? (task.id.charCodeAt(3) % 2 ? 'open' : 'step') : null)),
  });
  const groups = groupsIn(folder).filter(({ place }) => place.step !== 'demonstrations');
  let lost = 0;
  for (const { ref, trajectories, tasks } of groups) {
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const verified = trajectories.filter(({ verdict }) => verdict !== null);
    for (const trajectory of trajectories.filter(({ verdict }) => verdict === null)) {
      lost += 1;
      assert.ok(isDoomed(byId.get(trajectory.taskId) as Task));
      assert.deepEqual([trajectory.failure?.boundary, trajectory.failure?.message], ['sandbox', 'the machine is gone']);
      assert.deepEqual([trajectory.tokenIds, trajectory.endedBy], [[], null]);
    }
    assert.ok(verified.every(({ failure, endedBy }) => failure === null && endedBy !== null));
    assert.equal(ref.summary.episodes, trajectories.length);
    assert.equal(ref.summary.noVerdict, trajectories.length - verified.length);
    assert.equal(ref.summary.strict, verified.filter(({ verdict }) => verdict?.strict).length);
    const mean = verified.reduce((sum, { verdict }) => sum + (verdict?.progress ?? NaN), 0) / verified.length;
    assert.ok(verified.length === 0 || Math.abs(ref.summary.partialMean - mean) < 1e-12);
  }
  assert.ok(lost > 20, `only ${lost} episodes were lost`);

  const verifiedIn = (step: string, iteration: number): number =>
    groups
      .filter(
        ({ place }) =>
          place.generation === 1 && place.step === step && place.iteration === iteration && place.stageIndex === 1,
      )
      .flatMap(({ trajectories }) => trajectories)
      .filter(({ verdict }) => verdict !== null).length;
  const [rewrite, refine] = result.generations[0]?.stages ?? [];
  assert.ok(rewrite?.kind === 'self-rewrite' && refine?.kind === 'policy-refine');
  assert.deepEqual(refine.result.iterations.map(({ episodes }) => episodes), [0, 1].map((i) => verifiedIn('rollout', i))); // prettier-ignore
  assert.ok(verifiedIn('rollout', 0) < CONFIG.policyRefine.episodes);

  // Rewrites: no parent without a verdict, and a lost child is stopped by its own gate.
  const all = new Map(groupsIn(folder).flatMap(({ trajectories }) => trajectories.map((one) => [one.id, one])));
  const rewrites = groups.filter(({ place }) => place.step === 'rewrite').flatMap(({ trajectories }) => trajectories);
  assert.ok(rewrites.every(({ parentId }) => all.get(parentId ?? '')?.verdict != null));
  assert.equal(rewrite.result.gates['no-verdict'] ?? 0, rewrites.filter(({ verdict }) => verdict === null).length);

  // Evaluation: the doomed tasks stand apart, the others ended as in the undisturbed run.
  const { selection } = result.start.outcomes;
  const rates = ratesOf(selection);
  assert.ok(rates.noVerdict > 0);
  assert.equal(rates.n + rates.noVerdict, CONFIG.tasks.selection);
  const evaluated = groups.find(({ place }) => place.generation === 0 && place.step === 'evaluate-selection');
  assert.equal(rates.noVerdict, evaluated?.tasks.filter(isDoomed).length);
});

test('demonstrations whose sandbox fails end the run with the failure, which says that another attempt may do', async () => {
  const run = tinyRun(tinyConfig({ warmStart: { demonstrations: 8, rewriteDemonstrations: 0 } }), {
    terminals: (pool) => ({ ...pool, play: () => Promise.reject(new Failure('sandbox', 'the machine is gone')) }),
  });
  await assert.rejects(run, { boundary: 'sandbox', retryable: true, message: 'the machine is gone' });
});
