/**
 * Settings in which theory says that a mechanism may matter, each a base and the same without it. Most learn by
 * policy-refine alone: rewriting would bring the policy so far that little of a reward or an advantage shows.
 * "No effect" is an accepted outcome.
 */
import { unknownName } from '../contracts/config/parse-config.ts';
import { Failure } from '../contracts/failures.ts';
import type { Overrides } from '../infra/presets.ts';
import { studyName, type Study, type Variant } from './study.ts';
import { BASE_VARIANT, NO_FDR, NO_HANDOFF, NO_SPR, TOKEN_GAE, UNCALIBRATED_FDR } from './variants.ts';

interface Diagnosis {
  readonly about: string;
  readonly setting: Overrides;
  readonly changed: Variant;
}

/** Up to four sub-goals, so about twice as many turns as in the preset. */
const LONG_TASKS = { subGoalWeights: [0, 0.3, 0.4, 0.3], trainSubGoalWeights: null, turns: 14, context: 384 };
const REFINE_ONLY = ['policy-refine'];

const DIAGNOSES: Readonly<Record<string, Diagnosis>> = {
  'tb-gae': {
    about: 'Long episodes, room for long turns, gamma 0.98 and lambda 0.8: decay per token reaches far less back.',
    setting: {
      stages: REFINE_ONLY,
      tasks: { ...LONG_TASKS, tokensPerTurn: 32 },
      policyRefine: { gamma: 0.98, lambda: 0.8 },
    },
    // The order of rewards is checked per token then, which a discount below 1 does not pass; nothing learns from it.
    changed: {
      ...TOKEN_GAE,
      changes: () => ({ policyRefine: { estimator: 'token' }, reward: { allowPartialAboveSuccess: true } }),
    },
  },
  'fdr-potential': {
    about: 'A poor critic (no warm-up, no re-calibration, few episodes) over a long horizon: the potential stands in.',
    setting: {
      stages: REFINE_ONLY,
      tasks: LONG_TASKS,
      warmUpCritic: { iterations: 0 },
      handoff: { epochs: 0, episodes: 8, probeEpisodes: 64 },
      policyRefine: { episodes: 64 },
    },
    changed: NO_FDR,
  },
  'fdr-calibration': {
    about: 'Two families of unequal difficulty, much of the reward partial: what half of a task is worth differs.',
    setting: {
      stages: REFINE_ONLY,
      tasks: { ...LONG_TASKS, families: ['config', 'release'], subGoalWeights: [0.1, 0.3, 0.3, 0.3] },
      reward: { partialScale: 0.75, pseudoCount: 5 },
    },
    changed: UNCALIBRATED_FDR,
  },
  spr: {
    about: 'Three and four checks a task: all but one bring plain partial credit near a success.',
    setting: {
      stages: REFINE_ONLY,
      tasks: { ...LONG_TASKS, subGoalWeights: [0, 0, 0.5, 0.5] },
      reward: { partialScale: 0.75 },
    },
    changed: NO_SPR,
  },
  handoff: {
    about: 'Many generations of two iterations, re-calibrated on 16 episodes: a fresh critic has little to learn from.',
    setting: {
      ...{ generations: 8, stages: REFINE_ONLY },
      handoff: { episodes: 16, epochs: 1 },
      policyRefine: { iterations: 2 },
      // All generations are to be run, whether the selection rate grows or not.
      stop: { patience: 100 },
    },
    changed: NO_HANDOFF,
  },
};

export const DIAGNOSTICS: readonly string[] = Object.keys(DIAGNOSES);

export function diagnosticStudy(preset: string, name: string): Study {
  const diagnosis = Object.hasOwn(DIAGNOSES, name) ? DIAGNOSES[name] : undefined;
  if (diagnosis === undefined) {
    throw new Failure('config', unknownName('diagnosis', name, DIAGNOSTICS), { subject: '--diagnostics' });
  }
  const { about, setting, changed } = diagnosis;
  return {
    name: studyName(preset, name),
    ...{ preset, diagnostics: name, about, setting, variants: [BASE_VARIANT, changed] },
  };
}
