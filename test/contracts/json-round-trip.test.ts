/** Every contract type crosses Temporal's JSON converter unchanged: what a workflow hands over is what arrives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPayloadConverter } from '@temporalio/common';
import fc, { type Arbitrary } from 'fast-check';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { asFailure, Failure } from '../../contracts/failures.ts';
import * as arbitraries from './arbitraries.ts';

function throughTemporal(value: unknown): unknown {
  const payload = defaultPayloadConverter.toPayload(value);
  assert.ok(payload !== undefined);
  assert.equal(Buffer.from(payload.metadata?.['encoding'] ?? []).toString(), 'json/plain');
  return defaultPayloadConverter.fromPayload(payload);
}

const TYPES: Readonly<Record<string, Arbitrary<unknown>>> = {
  Trajectory: arbitraries.trajectory,
  Task: arbitraries.task,
  GroupRef: arbitraries.groupRef,
  CheckpointRef: arbitraries.checkpointRef,
  Place: arbitraries.place,
  StoredRecord: arbitraries.storedRecord,
  FailureRecord: arbitraries.failureRecord,
  CommandResult: arbitraries.plainResult,
  StepResult: arbitraries.stepResult,
  ScriptedEpisode: arbitraries.scriptedEpisode,
};

for (const [name, arbitrary] of Object.entries(TYPES)) {
  test(name, () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        // Copied, as the generator's objects have no prototype; a missing key and one that is undefined differ here.
        assert.deepStrictEqual(throughTemporal(value), structuredClone(value));
      }),
    );
  });
}

test('RunConfig, frozen or not, and through the parser again', () => {
  const numbers = fc.record({
    seed: fc.integer({ min: 0, max: 4294967295 }),
    reward: fc.record({ turnCost: fc.double({ min: 0, max: 0.99, noNaN: true }).map((value) => value + 0) }),
    stop: fc.record({ minutes: fc.option(fc.double({ min: 0.1, max: 1e6, noNaN: true }), { nil: null }) }),
    stages: fc.array(fc.constantFrom('self-rewrite' as const, 'policy-refine' as const), {
      minLength: 1,
      maxLength: 5,
    }),
  });
  fc.assert(
    fc.property(numbers, (given) => {
      const config = parseRunConfig(given);
      const arrived = throughTemporal(config);
      assert.deepStrictEqual(arrived, config);
      assert.deepStrictEqual(parseRunConfig(arrived), config);
    }),
  );
});

test('a Failure becomes a record that crosses; whatever was thrown gets a boundary and keeps its message', () => {
  const failure = new Failure('sandbox', 'the shell is gone', { subject: 'episode 3' });
  assert.deepEqual(throughTemporal(failure.toRecord()), {
    ...{ boundary: 'sandbox', message: 'the shell is gone', subject: 'episode 3', retryable: true },
  });
  assert.equal(asFailure(failure, 'model'), failure);
  const wrapped = asFailure(new RangeError('too far'), 'task', 'task 1');
  assert.deepEqual(wrapped.toRecord(), { boundary: 'task', message: 'too far', subject: 'task 1', retryable: false }); // prettier-ignore
  assert.ok(wrapped.cause instanceof RangeError);
  assert.equal(asFailure('words', 'storage').message, 'words');
});
