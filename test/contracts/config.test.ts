/** The configuration: its defaults, what it refuses, and how it says so (one line; key, given, allowed, nearest). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { nearestName, parseRunConfig, unknownName } from '../../contracts/config/parse-config.ts';
import { Failure } from '../../contracts/failures.ts';
import { TRAINED_FAMILIES, HELD_OUT_FAMILIES } from '../../tasks/builtin/families.ts';

function refusalOf(input: unknown): Failure {
  try {
    parseRunConfig(input);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.boundary, 'config');
    assert.equal(error.retryable, false);
    assert.doesNotMatch(error.message, /[\n\r]/);
    return error;
  }
  throw new assert.AssertionError({ message: `accepted: ${JSON.stringify(input)}` });
}

test('nothing, null and {} are the defaults, whole and frozen to the bottom', () => {
  const config = parseRunConfig({});
  assert.deepEqual(parseRunConfig(undefined), config);
  assert.deepEqual(parseRunConfig(null), config);
  assert.deepEqual(config.stages, ['self-rewrite', 'self-rewrite', 'policy-refine']);
  assert.equal(config.preset, 'demo');
  assert.equal(config.policyRefine.lambda, 0.9);
  assert.equal(config.policyRefine.criticLambda, 1);
  assert.equal(config.reward.turnCost, 0.2);
  assert.equal(config.reward.partialScale, 0.5);
  assert.equal(config.stop.strictTarget, null);
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
  assert.ok(frozen(config));
  assert.throws(() => {
    config.tasks.families.push('x');
  }, TypeError);
  // Freezing one must not reach into the next: the lists of defaults are copies.
  assert.notEqual(parseRunConfig({}).tasks.families, config.tasks.families);
});

test('the default families exist', () => {
  const { families, composition } = parseRunConfig({}).tasks;
  assert.deepEqual(families.filter((name) => !TRAINED_FAMILIES.includes(name)), []); // prettier-ignore
  assert.ok(HELD_OUT_FAMILIES.includes(composition));
});

test('a key without a default stays out, so that the digest of the defaults is the one from before it', () => {
  assert.ok(!('trainSubGoalWeights' in parseRunConfig({}).tasks));
  assert.equal(parseRunConfig({ tasks: { trainSubGoalWeights: null } }).tasks.trainSubGoalWeights, null);
  assert.deepEqual(parseRunConfig({ tasks: { trainSubGoalWeights: [0, 1] } }).tasks.trainSubGoalWeights, [0, 1]);
});

test('what is given replaces its default alone, and a parsed configuration parses to itself', () => {
  const config = parseRunConfig({
    seed: 7,
    tasks: { turns: 4 },
    stop: { minutes: 10 },
    policyRefine: { dualClip: null },
  });
  const defaults = parseRunConfig({});
  assert.deepEqual(config, {
    ...defaults,
    seed: 7,
    tasks: { ...defaults.tasks, turns: 4 },
    stop: { ...defaults.stop, minutes: 10 },
    policyRefine: { ...defaults.policyRefine, dualClip: null },
  });
  assert.deepEqual(parseRunConfig(config), config);
  assert.deepEqual(parseRunConfig(JSON.parse(JSON.stringify(config))), config);
});

const REFUSED: readonly [given: unknown, subject: string | null, message: RegExp][] = [
  [{ taskz: 1 }, 'taskz', /^configuration key 'taskz' \(given 1\) is unknown; did you mean 'tasks'\? known: preset, seed/],
  [{ tasks: { famlies: ['a'] } }, 'tasks.famlies', /'tasks.famlies' \(given \["a"\]\) is unknown; did you mean 'families'\? known in 'tasks': families,/],
  [{ turns: 5 }, 'turns', /'turns' \(given 5\) is unknown; did you mean 'tasks\.turns'\?/],
  [{ zzzzzzzz: {} }, 'zzzzzzzz', /'zzzzzzzz' \(given \{\}\) is unknown; known: preset/],
  [{ 'a\nb': 1 }, 'a\nb', /'a b' \(given 1\) is unknown/],
  [{ stop: { minutes: -5 } }, 'stop.minutes', /'stop\.minutes' is -5; allowed: a number > 0, or null$/],
  [{ stop: { tokens: 0 } }, 'stop.tokens', /is 0; allowed: a number > 0, or null$/],
  [{ policyRefine: { actorLearningRate: NaN } }, 'policyRefine.actorLearningRate', /'policyRefine\.actorLearningRate' is NaN; allowed: a number > 0$/],
  [{ policyRefine: { actorLearningRate: Infinity } }, 'policyRefine.actorLearningRate', /is Infinity; allowed: a number > 0$/],
  [{ reward: { partialScale: NaN } }, 'reward.partialScale', /is NaN; allowed: a number >= 0 and < 1$/],
  [{ reward: { partialScale: 1 } }, 'reward.partialScale', /is 1; allowed: a number >= 0 and < 1$/],
  [{ policyRefine: { criticLambda: 1.5 } }, 'policyRefine.criticLambda', /is 1\.5; allowed: a number >= 0 and <= 1, or null$/],
  [{ seed: 1.5 }, 'seed', /'seed' is 1\.5; allowed: a whole number >= 0 and <= 4294967295$/],
  [{ seed: '1' }, 'seed', /'seed' is "1"; allowed: a whole number/],
  [{ seed: null }, 'seed', /'seed' is null; allowed: a whole number/],
  [{ handoff: { inherit: 'yes' } }, 'handoff.inherit', /is "yes"; allowed: true or false$/],
  [{ policyRefine: { estimator: 'tbb' } }, 'policyRefine.estimator', /is "tbb"; allowed: one of tb, token, turn; did you mean 'tb'\?$/],
  [{ stages: ['policy-refin'] }, 'stages.0', /'stages\.0' is "policy-refin"; allowed: one of self-rewrite, policy-refine; did you mean 'policy-refine'\?$/],
  [{ stages: [] }, 'stages', /'stages' is \[\]; allowed: a list of at least one of self-rewrite, policy-refine$/],
  [{ stages: 'policy-refine' }, 'stages', /is "policy-refine"; allowed: a list/],
  [{ tasks: { families: [] } }, 'tasks.families', /is \[\]; allowed: a list of at least one family name$/],
  [{ tasks: { families: [3] } }, 'tasks.families.0', /'tasks\.families\.0' is 3; allowed: a text$/],
  [{ tasks: { subGoalWeights: [0, 0] } }, 'tasks.subGoalWeights', /is \[0,0\]; allowed: a list of 1 to 8 numbers >= 0, at least one of them > 0$/],
  [{ tasks: { subGoalWeights: [1, NaN] } }, 'tasks.subGoalWeights.1', /is NaN; allowed: a number >= 0$/],
  [{ tasks: { subGoalWeights: [1, 1, 1, 1, 1, 1, 1, 1, 1] } }, 'tasks.subGoalWeights', /allowed: a list of 1 to 8 numbers/],
  [{ tasks: { trainSubGoalWeights: [0, 0] } }, 'tasks.trainSubGoalWeights', /is \[0,0\]; allowed: a list of 1 to 8 numbers >= 0, at least one of them > 0, or null$/],
  [{ tasks: [] }, 'tasks', /^configuration key 'tasks' is \[\]; allowed: an object with keys among families, /],
  [{ tasks: null }, 'tasks', /'tasks' is null; allowed: an object with keys among families, /],
  [{ reward: 0.5 }, 'reward', /'reward' is 0\.5; allowed: an object/],
  [[], null, /^the configuration is \[\]; allowed: an object with keys among preset, seed/],
  [[{ seed: 1 }], null, /^the configuration is \[\{"seed":1\}\]; allowed: an object/],
  ['demo', null, /^the configuration is "demo"; allowed: an object/],
  [new Map(), null, /^the configuration is \{\}; allowed: an object/],
  [{ seed: -1, generations: 0 }, 'seed', /'seed' is -1; .* \(and 1 more\)$/],
]; // prettier-ignore

for (const [given, subject, message] of REFUSED) {
  test(`refused: ${inspect(given, { breakLength: Infinity })}`, () => {
    const failure = refusalOf(given);
    assert.match(failure.message, message);
    assert.equal(failure.subject, subject);
  });
}

test('whatever is given, the answer is a configuration or one line', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  for (const odd of [
    { seed: circular },
    { tasks: { turns: 10n } },
    { seed: () => 1 },
    { seed: Symbol('s') },
    circular,
  ]) {
    refusalOf(odd);
  }
  const keys = Object.keys(parseRunConfig({}));
  const section = fc.dictionary(fc.string({ maxLength: 12 }), fc.anything({ maxDepth: 1 }), { maxKeys: 3 });
  const anything = fc.oneof(
    fc.anything(),
    fc.dictionary(fc.constantFrom(...keys), fc.oneof(section, fc.anything({ maxDepth: 1 })), { maxKeys: 4 }),
  );
  fc.assert(
    fc.property(anything, (given) => {
      try {
        parseRunConfig(given);
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
        assert.doesNotMatch(error.message, /[\n\r]/);
      }
    }),
    { numRuns: 500 },
  );
});

test('the nearest name is given only where it is near', () => {
  assert.equal(nearestName('Notes', ['notes', 'tidy']), 'notes');
  assert.equal(nearestName('ntoes', ['notes', 'tidy']), 'notes');
  assert.equal(nearestName('kubernetes', ['notes', 'tidy']), null);
  assert.equal(nearestName('x', []), null);
  assert.equal(unknownName('family', 'notez', ['notes', 'tidy']), "family 'notez' is unknown; did you mean 'notes'? known: notes, tidy"); // prettier-ignore
});
