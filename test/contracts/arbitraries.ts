/** Random values of the contract types, whole and nested, for property tests. */
import fc, { type Arbitrary } from 'fast-check';
import type { CheckpointRef, GroupRef } from '../../contracts/checkpoint.ts';
import type { FailureRecord } from '../../contracts/failures.ts';
import type { Place, StoredRecord } from '../../contracts/run-store.ts';
import type { CommandResult, ScriptedEpisode, StepResult } from '../../contracts/sandbox.ts';
import type { Check, Condition, Task } from '../../contracts/task.ts';
import type { Trajectory, Turn, Verdict } from '../../contracts/trajectory.ts';

const text = fc.string({ unit: 'binary', maxLength: 24 });
const digest = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const count = fc.nat({ max: 2 ** 31 });
const bit = fc.constantFrom(0, 1);
/** JSON has no -0, NaN or infinity; contracts hold none of them. */
const real = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const seed = fc.integer({ min: 0, max: 2 ** 52 - 1 });
const split = fc.constantFrom('train', 'selection', 'held-out');
const list = <T>(item: Arbitrary<T>, maxLength = 5): Arbitrary<T[]> => fc.array(item, { maxLength });
const orNull = <T>(value: Arbitrary<T>): Arbitrary<T | null> => fc.option(value, { nil: null });

export const failureRecord: Arbitrary<FailureRecord> = fc.record({
  boundary: fc.constantFrom('config', 'task', 'sandbox', 'model', 'storage', 'lineage', 'compute'),
  message: text,
  subject: orNull(text),
  retryable: fc.boolean(),
});

const condition: Arbitrary<Condition> = fc.oneof(
  fc.record({ kind: fc.constant('content-equals'), path: text, content: text }),
  fc.record({ kind: fc.constant('absent'), path: text }),
  fc.record({ kind: fc.constant('mode-equals'), path: text, mode: fc.nat({ max: 0o7777 }) }),
);

const check: Arbitrary<Check> = fc.record({ name: text, weight: real, subGoal: count, conditions: list(condition) });

export const task: Arbitrary<Task> = fc.record({
  kind: fc.constant('task'),
  id: digest,
  family: text,
  split,
  instruction: text,
  workdir: text,
  directories: list(text),
  files: list(fc.record({ path: text, content: text, mode: fc.nat({ max: 0o7777 }) })),
  checks: list(check),
  // A slot may have any name but the one that JavaScript keeps for itself.
  subGoals: list(
    fc.record({
      kind: text,
      slots: fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        text,
      ),
    }),
  ),
  limits: fc.record({ turns: count, tokensPerTurn: count, context: count, commandSeconds: real }),
  verifierDigest: digest,
});

const turn: Arbitrary<Turn> = fc.record({
  command: text,
  observation: text,
  exitCode: fc.integer(),
  checks: list(bit),
});
const verdict: Arbitrary<Verdict> = fc.record({ checks: list(bit), progress: real, strict: fc.boolean() });

export const trajectory: Arbitrary<Trajectory> = fc.record({
  kind: fc.constant('trajectory'),
  id: digest,
  purpose: fc.constantFrom('rollout', 'rewrite', 'demonstration', 'evaluation', 'probe'),
  taskId: digest,
  family: text,
  split,
  subGoals: list(text),
  verifierDigest: digest,
  checkWeights: list(real),
  turnLimit: count,
  policy: orNull(digest),
  seed,
  sample: count,
  temperature: real,
  parentId: orNull(digest),
  mode: orNull(fc.constantFrom('polish', 'repair')),
  promptLength: count,
  tokenIds: list(count, 20),
  actionMask: list(bit, 20),
  turnIds: list(fc.integer({ min: -1, max: 64 }), 20),
  logProbs: list(real, 20),
  initialChecks: list(bit),
  turns: list(turn),
  endedBy: orNull(fc.constantFrom('done', 'turn-limit', 'token-limit', 'context-limit', 'time-limit')),
  verdict: orNull(verdict),
  failure: orNull(failureRecord),
});

export const place: Arbitrary<Place> = fc.record({
  generation: count,
  stageIndex: fc.integer({ min: -1, max: 20 }),
  step: text,
  iteration: count,
  group: count,
});

export const checkpointRef: Arbitrary<CheckpointRef> = fc.record({
  kind: fc.constant('checkpoint'),
  role: fc.constantFrom('policy', 'critic'),
  digest,
  weightsDigest: digest,
});

export const groupRef: Arbitrary<GroupRef> = fc.record({
  kind: fc.constant('group'),
  place,
  digest,
  summary: fc.record({
    ...{ episodes: count, noVerdict: count, strict: count, partialMean: real, turns: count },
    ...{ actionTokens: count, failedCommands: count, cutTurns: count, endedAtLimit: count },
  }),
});

export const storedRecord: Arbitrary<StoredRecord> = fc.record({
  place,
  content: fc.oneof(
    checkpointRef,
    groupRef,
    fc.record({ kind: text, numbers: list(real), ref: orNull(checkpointRef) }),
  ),
  uses: list(fc.record({ role: text, digest })),
  blobs: list(digest),
  seconds: real,
  elapsed: real,
});

const commandResult = { stdout: text, stderr: text, exitCode: fc.integer(), timedOut: fc.boolean() };
export const plainResult: Arbitrary<CommandResult> = fc.record(commandResult);
export const stepResult: Arbitrary<StepResult> = fc.record({ ...commandResult, checks: list(bit) });

export const scriptedEpisode: Arbitrary<ScriptedEpisode> = fc.record({
  initialChecks: list(bit),
  turns: list(fc.record({ command: text, result: stepResult })),
  done: fc.boolean(),
});
