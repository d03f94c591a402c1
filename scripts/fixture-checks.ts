// What each fixture file feeds to rl/ and which fields it gets back, by file name. Called by check-fixtures.ts.
// A check reads its inputs from the row and returns the fields that the row must agree with.

import { applyCalibration, type CalibrationRow, fitCalibration } from '../rl/calibration.ts';
import { explainedVariance } from '../rl/explained-variance.ts';
import { potentials, shapingRewards, turnRewards } from '../rl/family-dense-reward.ts';
import { type Estimator, estimateAdvantages } from '../rl/gae.ts';
import { isotonicRegression } from '../rl/isotonic.ts';
import { klTerms } from '../rl/kl.ts';
import { mcNemar } from '../rl/mcnemar.ts';
import { passAtK } from '../rl/pass-at-k.ts';
import { maskedPolicyLoss } from '../rl/ppo.ts';
import { isStrict, rawProgress, successPrioritizedReward } from '../rl/success-prioritized-reward.ts';
import { valueLoss } from '../rl/value-loss.ts';
import { whiten } from '../rl/whiten.ts';
import { wilsonInterval } from '../rl/wilson.ts';

export type Expected = Readonly<Record<string, unknown>>;
export type Actual = Readonly<Record<string, unknown>>;

export const CHECKS: ReadonlyMap<string, (row: Expected) => Actual> = new Map<string, (row: Expected) => Actual>([
  ['calibration.json', checkCalibration],
  [
    'explained-variance.json',
    (row) => ({ explainedVariance: explainedVariance(numbers(row, 'returns'), numbers(row, 'values')) }),
  ],
  ['gae.json', checkGae],
  ['isotonic.json', (row) => ({ fitted: [...isotonicRegression(numbers(row, 'y'), numbers(row, 'weights'))] })],
  ['kl.json', checkKl],
  ['mcnemar.json', (row) => ({ ...mcNemar(number(row, 'gained'), number(row, 'lost')) })],
  ['pass-at-k.json', (row) => ({ value: passAtK(number(row, 'n'), number(row, 'c'), number(row, 'k')) })],
  ['ppo.json', checkPolicyLoss],
  ['reward.json', checkReward],
  ['value-loss.json', checkValueLoss],
  ['whiten.json', (row) => ({ whitened: listOrNull(whiten(numbers(row, 'advantages'), numbers(row, 'actionMask'))) })],
  [
    'wilson.json',
    (row) => ({ ...(wilsonInterval(number(row, 'successes'), number(row, 'n')) ?? { low: null, high: null }) }),
  ],
]);

function checkGae(row: Expected): Actual {
  const estimate = (estimator: Estimator): Actual => {
    const { advantages, returns } = estimateAdvantages({
      estimator,
      rewards: numbers(row, 'rewards'),
      values: numbers(row, 'values'),
      actionMask: numbers(row, 'actionMask'),
      turnIds: numbers(row, 'turnIds'),
      gamma: number(row, 'gamma'),
      lambda: number(row, 'lambda_'),
      criticLambda: numberOrNull(row, 'criticLambda'),
      terminated: boolean(row, 'terminated'),
      bootstrapValue: numberOrNull(row, 'bootstrapValue') ?? 0,
    });
    return { advantages: [...advantages], returns: [...returns] };
  };
  return { tbGae: estimate('tb'), tokenGae: estimate('token'), turnGae: estimate('turn') };
}

function checkReward(row: Expected): Actual {
  if (row['calibration'] !== 'identity') throw new TypeError('calibration: need "identity"');
  const weights = numbers(row, 'weights');
  const checks = list(row, 'checksAfterTurn').map((c, k) => numberList(`checksAfterTurn[${k}]`, c));
  const progress = checks.map((c) => rawProgress(weights, c));
  const endedByDone = boolean(row, 'endedByDone');
  const strict = isStrict(checks.at(-1) ?? [], endedByDone);
  const turns = number(row, 'turns');
  const gamma = number(row, 'gamma');
  const reward = successPrioritizedReward(
    { strict, progress: progress.at(-1) ?? 0, turns, turnLimit: number(row, 'turnLimit'), limitHit: !endedByDone },
    {
      turnCost: number(row, 'turnCost'),
      partialScale: number(row, 'partialScale'),
      limitPenalty: number(row, 'limitPenalty'),
    },
  );
  const shape = { familyWeight: number(row, 'familyWeight'), terminated: true };
  return {
    progress,
    strict,
    reward,
    shaping: [...shapingRewards(potentials({ ...shape, progress }), gamma)],
    turnRewards: [...turnRewards({ ...shape, turns, probes: progress, gamma, reward })],
  };
}

function checkCalibration(row: Expected): Actual {
  const rows = list(row, 'rows').map((pair, i): CalibrationRow => {
    const [progress, strict] = numberList(`rows[${i}]`, pair);
    return [progress ?? Number.NaN, strict ?? Number.NaN];
  });
  const map = fitCalibration(rows, number(row, 'episodes'), number(row, 'pseudoCount'));
  return { progress: numbers(row, 'query').map((q) => applyCalibration(map, q)) };
}

function checkKl(row: Expected): Actual {
  const { k1, k2, k3 } = klTerms(number(row, 'logRatio'));
  return { k1, k2, k3 };
}

function checkPolicyLoss(row: Expected): Actual {
  const { perToken, tokenMean } = maskedPolicyLoss({
    logProbs: numbers(row, 'logProbs'),
    oldLogProbs: numbers(row, 'oldLogProbs'),
    advantages: numbers(row, 'advantages'),
    actionMask: numbers(row, 'actionMask'),
    clipLow: number(row, 'clipLow'),
    clipHigh: number(row, 'clipHigh'),
    dualClip: numberOrNull(row, 'dualClip'),
  });
  return { perToken: [...perToken], tokenMean };
}

function checkValueLoss(row: Expected): Actual {
  const { perToken } = valueLoss({
    values: [number(row, 'value')],
    oldValues: [number(row, 'oldValue')],
    returns: [number(row, 'target')],
    clip: numberOrNull(row, 'clip'),
  });
  return { loss: perToken[0] };
}

function listOrNull(values: Float64Array | null): number[] | null {
  return values === null ? null : [...values];
}

function number(row: Expected, field: string): number {
  const value = row[field];
  if (typeof value !== 'number') throw new TypeError(`${field}: got ${JSON.stringify(value)}; need a number`);
  return value;
}

function numberOrNull(row: Expected, field: string): number | null {
  return row[field] === null ? null : number(row, field);
}

function boolean(row: Expected, field: string): boolean {
  const value = row[field];
  if (typeof value !== 'boolean') throw new TypeError(`${field}: got ${JSON.stringify(value)}; need true or false`);
  return value;
}

function list(row: Expected, field: string): unknown[] {
  const value = row[field];
  if (!Array.isArray(value)) throw new TypeError(`${field}: got ${JSON.stringify(value)}; need a list`);
  return value;
}

function numbers(row: Expected, field: string): number[] {
  return numberList(field, list(row, field));
}

/** JSON has no NaN: null stands for it, as masked positions may hold anything. */
function numberList(what: string, value: unknown): number[] {
  if (!Array.isArray(value)) throw new TypeError(`${what}: got ${JSON.stringify(value)}; need a list of numbers`);
  return value.map((element: unknown, i) => {
    if (element === null) return Number.NaN;
    if (typeof element !== 'number')
      throw new TypeError(`${what}[${i}]: got ${JSON.stringify(element)}; need a number`);
    return element;
  });
}
