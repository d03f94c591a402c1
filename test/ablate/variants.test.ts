/** Each variant changes what it says and nothing else, in every preset; the diagnoses can be run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, configOf, variantNamed, workflowIdOf, type Study } from '../../ablate/study.ts';
import { DIAGNOSTICS, diagnosticStudy } from '../../ablate/diagnostics.ts';
import { mechanismStudy } from '../../ablate/variants.ts';
import { digestOf } from '../../contracts/digest.ts';
import { presetNames } from '../../infra/presets.ts';
import { evaluationTasks } from '../../training/task-sets.ts';
import { differences, flatten } from '../../viewer/report/changed-keys.ts';

const changedBy = (study: Study, name: string): Record<string, unknown> => {
  const of = (variant: string) => flatten(configOf(study, variantNamed(study, variant), 4, 'native'));
  return Object.fromEntries(differences(of(name), of(BASE)).map(({ key, value }) => [key, value]));
};

test('what each mechanism changes of preset demo', () => {
  const study = mechanismStudy('demo');
  const changed = Object.fromEntries(study.variants.map(({ name }) => [name, changedBy(study, name)]));
  // The geometric mean of three rates of 1e-3, one of 8e-4 and one of 5e-4.
  const rate = 8.33e-4;
  assert.ok(Math.abs(rate ** 5 / (1e-9 * 8e-4 * 5e-4) - 1) < 0.01);
  assert.deepEqual(changed, {
    base: {},
    'no-rsr': { stages: ['policy-refine'] },
    'no-rpr': { stages: ['self-rewrite', 'self-rewrite'] },
    'token-gae': { 'policyRefine.estimator': 'token' },
    'turn-gae': { 'policyRefine.estimator': 'turn' },
    'no-warm-up': { 'warmUpCritic.iterations': 0 },
    'no-handoff': { 'handoff.inherit': false },
    'no-fdr': { 'reward.familyWeight': 0 },
    'uncalibrated-fdr': { 'reward.calibrate': false },
    'no-spr': { 'reward.successPrioritized': false, 'reward.allowPartialAboveSuccess': true },
    'one-learning-rate': {
      ...{ 'warmUpCritic.learningRate': rate, 'handoff.learningRate': rate, 'selfRewrite.learningRate': rate },
      ...{ 'policyRefine.actorLearningRate': rate, 'policyRefine.criticLearningRate': rate },
    },
    'repair-only': { 'selfRewrite.polish': false },
    'polish-only': { 'selfRewrite.repair': false },
  });
});

test('every variant of every preset and diagnosis is a configuration of its own', () => {
  for (const preset of presetNames()) {
    const studies = [mechanismStudy(preset), ...DIAGNOSTICS.map((name) => diagnosticStudy(preset, name))];
    const ids = studies.flatMap((study) => study.variants.map((variant) => workflowIdOf(study, variant, 0)));
    assert.equal(new Set(ids).size, ids.length);
    for (const study of studies) {
      const digests = study.variants.map((variant) => digestOf(configOf(study, variant, 0, 'native')));
      assert.equal(new Set(digests).size, digests.length, study.name);
      for (const { about } of study.variants) assert.match(about, /^[^.].*[^ ]\.$/);
    }
  }
});

test('the tasks of every diagnosis can be drawn, and its pair differs in the mechanism alone', () => {
  for (const name of DIAGNOSTICS) {
    const study = diagnosticStudy('demo', name);
    assert.equal(study.variants.length, 2);
    const config = configOf(study, variantNamed(study, BASE), 0, 'native');
    const tasks = evaluationTasks({ config } as never);
    assert.equal(tasks.heldOut.length, config.tasks.heldOut);
  }
  const pairs = DIAGNOSTICS.map((name) => {
    const study = diagnosticStudy('demo', name);
    return [name, Object.keys(changedBy(study, study.variants[1]?.name ?? ''))];
  });
  assert.deepEqual(Object.fromEntries(pairs), {
    'tb-gae': ['policyRefine.estimator', 'reward.allowPartialAboveSuccess'],
    'fdr-potential': ['reward.familyWeight'],
    'fdr-calibration': ['reward.calibrate'],
    spr: ['reward.successPrioritized', 'reward.allowPartialAboveSuccess'],
    handoff: ['handoff.inherit'],
  });
});

test('a wrong name is one line with the nearest right one', () => {
  const study = mechanismStudy('demo');
  assert.throws(() => variantNamed(study, 'no-rs'), /^Failure: variant 'no-rs' is unknown; did you mean 'no-rsr'\?/);
  assert.throws(() => diagnosticStudy('demo', 'sprr'), /diagnosis 'sprr' is unknown; did you mean 'spr'\?/);
  assert.throws(() => diagnosticStudy('demo', 'constructor'), /is unknown/);
});
