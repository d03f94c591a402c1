/** What a run may take of generation 0 from another: as much as the keys that were read there are the same, without gaps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsOf, sharedParts } from '../../ablate/shared-start.ts';
import { BASE, configOf, variantNamed } from '../../ablate/study.ts';
import { mechanismStudy } from '../../ablate/variants.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { flatten } from '../../viewer/report/changed-keys.ts';

const ALL = ['warm-start', 'warm-up-critic', 'evaluate'];

test('by variant of preset demo', () => {
  const study = mechanismStudy('demo');
  const of = (name: string) => configOf(study, variantNamed(study, name), 0, 'native');
  const shared = Object.fromEntries(study.variants.map(({ name }) => [name, sharedParts(of(BASE), of(name)).length]));
  assert.deepEqual(shared, {
    ...{ base: 3, 'no-handoff': 3, 'uncalibrated-fdr': 3, 'repair-only': 3, 'polish-only': 3 },
    // Their generations have fewer stages, so their evaluations stand elsewhere.
    ...{ 'no-rsr': 2, 'no-rpr': 2 },
    // What the critic learns in its warm-up is another thing.
    ...{ 'token-gae': 1, 'turn-gae': 1, 'no-warm-up': 1, 'no-fdr': 1, 'no-spr': 1, 'one-learning-rate': 1 },
  });
});

test('a key that is not listed as unread forbids it, whichever it is', () => {
  const base = parseRunConfig({});
  const other = (key: string, value: unknown) => {
    const [section = '', inner] = key.split('.');
    const changed =
      inner === undefined
        ? { [section]: value }
        : { [section]: { ...(base as unknown as Record<string, object>)[section], [inner]: value } };
    return { ...base, ...changed } as typeof base;
  };
  const read = [...flatten(base).keys()].filter(
    (key) => !sharedParts(base, other(key, 'other')).includes('warm-start'),
  );
  const sections = ['tasks', 'model', 'optimizer', 'warmStart'];
  const expected = [...flatten(base).keys()].filter(
    (key) => key === 'seed' || key === 'rollout.batch' || sections.includes(key.split('.')[0] ?? ''),
  );
  assert.deepEqual(read, expected);
  assert.deepEqual(sharedParts(base, other('policyRefine.lambda', 0.5)), ALL);
  assert.deepEqual(sharedParts(base, other('policyRefine.gamma', 0.5)), ['warm-start']);
  assert.deepEqual(sharedParts(base, other('rollout.temperature', 0.5)), ['warm-start']);
  // A gap: its evaluation is the same, but it comes to it by another warm-up.
  assert.deepEqual(sharedParts(base, other('warmUpCritic.epochs', 1)), ['warm-start']);
  assert.deepEqual(sharedParts(base, other('a new key', 1)), []);
});

test('records by part, in the order in which they were written', () => {
  const config = parseRunConfig({});
  const record = (generation: number, stageIndex: number, step: string) => ({
    place: { generation, stageIndex, step, iteration: 0, group: 0 },
    ...{ content: { kind: 'x' }, uses: [], blobs: [], seconds: 0, elapsed: 0 },
  });
  const records = [record(0, -1, 'b'), record(0, -1, 'a'), record(0, 0, 'c'), record(0, 3, 'd'), record(1, -1, 'e')];
  const steps = (parts: Parameters<typeof recordsOf>[2]) =>
    recordsOf(records, config, parts)
      .map(({ place }) => place.step)
      .join('');
  assert.deepEqual(
    [steps([]), steps(['warm-start']), steps(['warm-start', 'warm-up-critic', 'evaluate'])],
    ['', 'ba', 'bacd'],
  );
});
