/**
 * The contents that the loop stores, as far as the tables show them. A content of a known kind that has another shape is
 * refused; further fields are kept in the record and not looked at. Writers: training/*.ts.
 */
import * as v from 'valibot';

const digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected a digest (64 hex characters)'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const finite = v.pipe(v.number(), v.finite());
const measured = v.nullable(finite);
const numbers = v.custom<number[]>(
  (value) => Array.isArray(value) && value.every(Number.isFinite),
  'expected a list of finite numbers',
);
const integers = v.custom<number[]>(
  (value) => Array.isArray(value) && value.every(Number.isInteger),
  'expected a list of integers',
);
const split = v.picklist(['train', 'selection', 'held-out']);
const mode = v.picklist(['polish', 'repair']);

const checkpoint = v.looseObject({
  kind: v.literal('checkpoint'),
  role: v.picklist(['policy', 'critic']),
  digest,
  weightsDigest: digest,
});

const summary = v.looseObject({
  episodes: count,
  noVerdict: count,
  strict: count,
  partialMean: finite,
  turns: count,
  actionTokens: count,
  failedCommands: count,
  cutTurns: v.pipe(v.number(), v.integer()),
  endedAtLimit: count,
});

const outcome = v.looseObject({
  taskId: digest,
  checks: numbers,
  state: v.nullable(v.picklist(['none', 'partial', 'strict'])),
  progress: finite,
  turns: count,
  actionTokens: count,
  failedCommands: count,
});

/** By `kind`; the kinds that bring no row of their own are here because their uses must exist. */
export const CONTENTS = {
  'added-tasks': v.looseObject({ families: v.pipe(v.array(v.string()), v.minLength(1)) }),
  environment: v.looseObject({ backend: v.picklist(['native', 'wasm']), library: v.string(), version: v.string() }),
  checkpoint,
  group: v.looseObject({ digest, summary }),
  'critic-update': v.looseObject({ critic: checkpoint }),
  'policy-update': v.looseObject({ policy: checkpoint, critic: checkpoint }),
  'rewrite-decisions': v.looseObject({ decisions: digest, acceptedIds: v.array(digest) }),
  'rewrite-round': v.looseObject({ policy: checkpoint }),
  handoff: v.looseObject({
    critic: checkpoint,
    parent: v.nullable(checkpoint),
    explainedVarianceBefore: measured,
    explainedVarianceAfter: measured,
    loss: measured,
  }),
  calibration: v.looseObject({
    digest,
    maps: v.record(v.string(), v.unknown()),
    episodes: count,
    errorOfRaw: measured,
    errorOfFormerMaps: measured,
  }),
  'evaluation-outcomes': v.looseObject({ set: v.string(), outcomes: v.array(outcome) }),
  drift: v.looseObject({ kl: measured }),
  'run-end': v.looseObject({ end: v.looseObject({ reason: v.string() }) }),
  'stop-check': v.looseObject({ end: v.nullable(v.looseObject({ reason: v.string() })) }),
  promotion: v.looseObject({
    decision: v.looseObject({ promoted: v.boolean(), reason: v.string() }),
    state: v.looseObject({ generation: count, policy: checkpoint, critic: checkpoint }),
  }),
} as const;

export const TASK = v.looseObject({
  kind: v.literal('task'),
  id: digest,
  family: v.string(),
  split,
  instruction: v.string(),
  checks: v.array(v.looseObject({ weight: finite })),
  subGoals: v.array(v.looseObject({ kind: v.string() })),
  limits: v.looseObject({ turns: count }),
  verifierDigest: digest,
});

export const TRAJECTORY = v.looseObject({
  kind: v.literal('trajectory'),
  id: digest,
  purpose: v.picklist(['rollout', 'rewrite', 'demonstration', 'evaluation', 'probe']),
  taskId: digest,
  family: v.string(),
  split,
  subGoals: v.array(v.string()),
  verifierDigest: digest,
  checkWeights: numbers,
  turnLimit: count,
  policy: v.nullable(digest),
  seed: v.pipe(v.number(), v.safeInteger()),
  sample: count,
  temperature: finite,
  parentId: v.nullable(digest),
  mode: v.nullable(mode),
  promptLength: count,
  tokenIds: integers,
  actionMask: integers,
  turnIds: integers,
  logProbs: numbers,
  initialChecks: numbers,
  turns: v.array(
    v.strictObject({ command: v.string(), observation: v.string(), exitCode: v.number(), checks: numbers }),
  ),
  endedBy: v.nullable(v.picklist(['done', 'turn-limit', 'token-limit', 'context-limit', 'time-limit'])),
  verdict: v.nullable(v.strictObject({ checks: numbers, progress: finite, strict: v.boolean() })),
  failure: v.nullable(v.looseObject({ boundary: v.string(), message: v.string() })),
});

export const DECISIONS = v.array(
  v.looseObject({
    childId: digest,
    parentId: digest,
    accepted: v.boolean(),
    gate: v.nullable(v.string()),
    mode,
    measures: v.looseObject({ turnDelta: finite, tokenDelta: finite, failedDelta: finite, similarity: finite }),
  }),
);
