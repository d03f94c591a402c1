// Family calibration: raw progress q -> the odds of finishing under the policy that made the data.
// Fitted once per family and generation, then frozen; called by the handoff, and by FDR and SPR through applyCalibration.
//   C_f: rows (q, strict) pooled by q, weighted PAV, ends pinned C(0) = 0, C(1) = 1, linear between knots
//   p = (n C_f(q) + k q) / (n + k),  n = contributing episodes, k = pseudo count (20)
// Calibrating progress across families is given, this fit ours (docs/formulas.md).

import { at } from './action-mask.ts';
import { clamp, requireCount, requireInRange } from './checks.ts';
import { isotonicRegression } from './isotonic.ts';

/** Two values of q closer than this are one level. */
const SAME_LEVEL = 1e-9;

/** [raw progress q, 1 if the episode ended strict else 0] */
export type CalibrationRow = readonly [progress: number, strict: number];

export interface CalibrationKnot {
  readonly progress: number;
  readonly fitted: number;
}

/** Plain JSON, so that it can be stored, digested and referenced by what it scored. */
export interface CalibrationMap {
  readonly kind: 'calibration';
  readonly knots: readonly CalibrationKnot[]; // inner knots only, ascending; the ends are pinned
  readonly episodes: number;
  readonly pseudoCount: number;
}

export interface ProbedEpisode {
  /** Raw progress, `[K + 1]`: entry 0 the untouched task, entry k after turn k, the last one terminal. null = probe failed. */
  readonly progress: readonly (number | null)[];
  readonly strict: boolean;
}

/** The map that changes nothing: generation 1, unseen families, families without intermediate probes. */
export function identityCalibration(pseudoCount = 20): CalibrationMap {
  return { kind: 'calibration', knots: [], episodes: 0, pseudoCount };
}

/** Fits C_f. Rows at q = 0 or 1 are dropped (the ends are pinned); no row or no episode gives the identity. */
export function fitCalibration(rows: readonly CalibrationRow[], episodes: number, pseudoCount = 20): CalibrationMap {
  requireCount('fitCalibration: episodes', episodes);
  requireInRange('fitCalibration: pseudoCount', pseudoCount, 0, Number.MAX_VALUE);
  const levels = poolRows(rows);
  if (levels.length === 0 || episodes === 0) return identityCalibration(pseudoCount);
  const fitted = isotonicRegression(
    levels.map((level) => level.strict / level.count),
    levels.map((level) => level.count),
  );
  const knots = levels.map((level, i) => ({ progress: level.progress, fitted: at(fitted, i, 'fitCalibration') }));
  return { kind: 'calibration', knots, episodes, pseudoCount };
}

/** Rows and n from whole episodes: n counts those that gave at least one row. */
export function fitCalibrationFromEpisodes(episodes: readonly ProbedEpisode[], pseudoCount = 20): CalibrationMap {
  const perEpisode = episodes.map(calibrationRows).filter((rows) => rows.length > 0);
  return fitCalibration(perEpisode.flat(), perEpisode.length, pseudoCount);
}

/** One row for each distinct level of q seen at a non-terminal turn end; levels 0 and 1 are dropped. */
export function calibrationRows(episode: ProbedEpisode): CalibrationRow[] {
  const rows: CalibrationRow[] = [];
  for (const q of episode.progress.slice(1, -1)) {
    if (q === null) continue; // a failed probe takes the former value: no new level
    requireInRange('calibrationRows: progress', q, 0, 1);
    if (isPinnedLevel(q) || rows.some(([seen]) => Math.abs(seen - q) <= SAME_LEVEL)) continue;
    rows.push([q, episode.strict ? 1 : 0]);
  }
  return rows;
}

/** p for a raw progress q in [0, 1]. */
export function applyCalibration(map: CalibrationMap, progress: number): number {
  const q = requireInRange('applyCalibration: progress', progress, 0, 1);
  if (map.knots.length === 0 || map.episodes === 0) return q;
  const { episodes: n, pseudoCount: k } = map;
  return clamp((n * interpolate(map.knots, q) + k * q) / (n + k), 0, 1);
}

/** Expected calibration error over equal bins of [0, 1]; null without rows. `rows` are [prediction, strict]. */
export function expectedCalibrationError(rows: readonly CalibrationRow[], bins = 10): number | null {
  requireCount('expectedCalibrationError: bins', bins, 1);
  if (rows.length === 0) return null;
  const gaps = new Float64Array(bins); // sum of (prediction - outcome) in each bin
  for (const [prediction, strict] of rows) {
    requireInRange('expectedCalibrationError: prediction', prediction, 0, 1);
    const bin = Math.min(bins - 1, Math.floor(prediction * bins)); // 1 belongs to the last bin
    gaps[bin] = at(gaps, bin, 'expectedCalibrationError') + prediction - strict;
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / rows.length;
}

interface Level {
  readonly progress: number;
  strict: number;
  count: number;
}

function poolRows(rows: readonly CalibrationRow[]): Level[] {
  const levels: Level[] = [];
  const sorted = [...rows].sort(([a], [b]) => a - b);
  for (const [q, strict] of sorted) {
    requireInRange('fitCalibration: progress', q, 0, 1);
    if (strict !== 0 && strict !== 1) throw new RangeError(`fitCalibration: got strict = ${strict}; need 0 or 1`);
    if (isPinnedLevel(q)) continue;
    let level = levels.at(-1);
    if (level === undefined || q - level.progress > SAME_LEVEL) {
      level = { progress: q, strict: 0, count: 0 };
      levels.push(level);
    }
    level.strict += strict;
    level.count += 1;
  }
  return levels;
}

function isPinnedLevel(q: number): boolean {
  return q <= SAME_LEVEL || q >= 1 - SAME_LEVEL;
}

function interpolate(knots: readonly CalibrationKnot[], q: number): number {
  let left: CalibrationKnot = { progress: 0, fitted: 0 };
  for (const right of [...knots, { progress: 1, fitted: 1 }]) {
    if (q <= right.progress) {
      const share = (q - left.progress) / (right.progress - left.progress);
      return left.fitted + share * (right.fitted - left.fitted);
    }
    left = right;
  }
  return 1;
}
