/** The calibration maps fitted after each generation, as curves to draw, and their expected calibration error. */
import { applyCalibration, type CalibrationMap } from '../../rl/calibration.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface FamilyCalibration {
  readonly family: string;
  readonly episodes: number;
  /** Levels of raw progress that the data had, with the fitted odds before shrinking. */
  readonly knots: CalibrationMap['knots'];
  /** [raw progress, calibrated progress], ends included: straight lines between. */
  readonly curve: readonly (readonly [number, number])[];
}

export interface CalibrationReport {
  /** Fitted on the rollouts of this generation, used in the next. */
  readonly generation: number;
  readonly digest: string;
  readonly episodes: number;
  /** On this generation's rollouts: of raw progress, and of the maps that scored them. */
  readonly errorOfRaw: number | null;
  readonly errorOfFormerMaps: number | null;
  readonly families: readonly FamilyCalibration[];
}

export function calibrationReports(result: RunResult): CalibrationReport[] {
  return result.generations.map(({ generation, calibration }) => {
    const { digest, episodes, errorOfRaw, errorOfFormerMaps, maps } = calibration;
    const families = Object.entries(maps)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([family, map]) => familyCalibration(family, map));
    return { generation, digest, episodes, errorOfRaw, errorOfFormerMaps, families };
  });
}

function familyCalibration(family: string, map: CalibrationMap): FamilyCalibration {
  const levels = [0, ...map.knots.map(({ progress }) => progress), 1];
  const curve = levels.map((progress) => [progress, applyCalibration(map, progress)] as const);
  return { family, episodes: map.episodes, knots: map.knots, curve };
}
