/**
 * The mechanisms, one taken away at a time. Each is a handful of keys; the sentence says what is missing then and where
 * theory says that it matters (at episodes of four turns most of them need not: docs/log.md).
 */
import type { RunConfig, StageKind } from '../contracts/config/run-config.ts';
import { BASE, studyName, type Study, type Variant } from './study.ts';

export const BASE_VARIANT: Variant = {
  name: BASE,
  about: 'Everything as the preset has it.',
  changes: () => ({}),
};

export const NO_FDR: Variant = {
  name: 'no-fdr',
  about:
    'Without the dense family reward (reward.familyWeight 0): progress is paid at the end alone; matters where the critic is poor, since a critic that knows the potential makes both alike.',
  changes: () => ({ reward: { familyWeight: 0 } }),
};

export const UNCALIBRATED_FDR: Variant = {
  name: 'uncalibrated-fdr',
  about:
    'Progress is taken raw instead of calibrated per family (reward.calibrate false); matters among failures of families of unequal difficulty.',
  changes: () => ({ reward: { calibrate: false } }),
};

export const NO_SPR: Variant = {
  name: 'no-spr',
  about:
    'Plain partial credit with the same costs for all (reward.successPrioritized false); matters where many checks bring partial credit near a success.',
  changes: () => ({ reward: { successPrioritized: false, allowPartialAboveSuccess: true } }),
};

export const TOKEN_GAE: Variant = {
  name: 'token-gae',
  about: 'Every token is a step of the advantage estimate; matters with long turns and gamma or lambda below 1.',
  changes: () => ({ policyRefine: { estimator: 'token' } }),
};

export const NO_HANDOFF: Variant = {
  name: 'no-handoff',
  about:
    'Each policy-refine begins with a fresh critic (handoff.inherit false), re-calibrated on the same rollouts; matters over many generations with few of these.',
  changes: () => ({ handoff: { inherit: false } }),
};

export const VARIANTS: readonly Variant[] = [
  BASE_VARIANT,
  {
    name: 'no-rsr',
    about: 'Stages without self-rewrite: PPO alone has to find what rewriting would have shown it.',
    changes: ({ stages }) => ({ stages: without(stages, 'self-rewrite') }),
  },
  {
    name: 'no-rpr',
    about: 'Stages without policy-refine: imitation of accepted rewrites alone, no reward and no critic.',
    changes: ({ stages }) => ({ stages: without(stages, 'policy-refine') }),
  },
  TOKEN_GAE,
  {
    name: 'turn-gae',
    about:
      "One advantage a turn from the value of its first token: no baseline per token; matters with long turns, whose tokens' states differ.",
    changes: () => ({ policyRefine: { estimator: 'turn' } }),
  },
  {
    name: 'no-warm-up',
    about:
      "The critic begins as a fresh value head on the policy's trunk (warmUpCritic.iterations 0), and the handoff's re-calibration is all it learns from before the first policy-refine; its rollouts are also missing among the first parents of rewrites.",
    changes: () => ({ warmUpCritic: { iterations: 0 } }),
  },
  NO_HANDOFF,
  NO_FDR,
  UNCALIBRATED_FDR,
  NO_SPR,
  {
    name: 'one-learning-rate',
    about:
      "One learning rate for critic, self-rewrite and policy-refine: the geometric mean of the preset's five; the warm start, which precedes the stages, keeps its own.",
    changes: oneLearningRate,
  },
  {
    name: 'repair-only',
    about: 'Only partial parents are rewritten (selfRewrite.polish false): success without being taught brevity.',
    changes: () => ({ selfRewrite: { polish: false } }),
  },
  {
    name: 'polish-only',
    about: 'Only strict parents are rewritten (selfRewrite.repair false): brevity without being taught success.',
    changes: () => ({ selfRewrite: { repair: false } }),
  },
];

export function mechanismStudy(preset: string): Study {
  return {
    name: studyName(preset, null),
    ...{ preset, diagnostics: null, setting: {}, variants: VARIANTS },
    about: `Preset \`${preset}\` with one mechanism changed at a time.`,
  };
}

function without(stages: readonly StageKind[], kind: StageKind): StageKind[] {
  return stages.filter((stage) => stage !== kind);
}

/** Three digits: the value is to be read, and the same on every machine. */
function oneLearningRate({ warmUpCritic, handoff, selfRewrite, policyRefine }: RunConfig) {
  const rates = [
    warmUpCritic.learningRate,
    handoff.learningRate,
    selfRewrite.learningRate,
    policyRefine.actorLearningRate,
    policyRefine.criticLearningRate,
  ];
  const mean = Math.exp(rates.reduce((sum, rate) => sum + Math.log(rate), 0) / rates.length);
  const learningRate = Number(mean.toPrecision(3));
  return {
    warmUpCritic: { learningRate },
    handoff: { learningRate },
    selfRewrite: { learningRate },
    policyRefine: { actorLearningRate: learningRate, criticLearningRate: learningRate },
  };
}
