/**
 * The calibration maps of a generation: per family, fitted on the plain on-policy train rollouts of the generation
 * before it, then frozen (rl/calibration.ts). Its error is measured on the rollouts of the generation it served.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { digestOf, type Digest } from '../contracts/digest.ts';
import type { Place } from '../contracts/run-store.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import {
  applyCalibration,
  calibrationRows,
  expectedCalibrationError,
  fitCalibrationFromEpisodes,
  identityCalibration,
  type CalibrationRow,
  type ProbedEpisode,
} from '../rl/calibration.ts';
import { once, type LoopContext } from './context.ts';
import { assertTrainSplit, loadGroups } from './groups.ts';
import { progressByTurn, type Calibrations } from './returns.ts';

export interface CalibrationRound {
  readonly kind: 'calibration';
  readonly maps: Calibrations;
  readonly digest: Digest;
  readonly episodes: number;
  /** On the rollouts just finished: of raw progress, and of the maps that scored them. Null without rows. */
  readonly errorOfRaw: number | null;
  readonly errorOfFormerMaps: number | null;
}

/** Fits the maps of the next generation on this one's rollouts. */
export function calibrate(
  context: LoopContext,
  generation: number,
  rollouts: readonly GroupRef[],
  former: Calibrations,
): Promise<CalibrationRound> {
  const place: Place = {
    generation,
    stageIndex: context.config.stages.length,
    step: 'calibration',
    iteration: 0,
    group: 0,
  };
  return once(context, place, async () => {
    const trajectories = (await loadGroups(context, rollouts)).filter(
      ({ purpose, verdict }) => purpose === 'rollout' && verdict !== null,
    );
    assertTrainSplit(trajectories);
    const byFamily = new Map<string, ProbedEpisode[]>();
    for (const trajectory of trajectories) {
      byFamily.set(trajectory.family, [...(byFamily.get(trajectory.family) ?? []), probed(trajectory)]);
    }
    const { pseudoCount } = context.config.reward;
    const maps: Calibrations = Object.fromEntries(
      [...byFamily].map(([family, episodes]) => [family, fitCalibrationFromEpisodes(episodes, pseudoCount)]),
    );
    const rows = [...byFamily].flatMap(([family, episodes]) =>
      episodes
        .flatMap(calibrationRows)
        .map((row) => ({ row, map: former[family] ?? identityCalibration(pseudoCount) })),
    );
    const mapped = rows.map(({ row: [progress, strict], map }): CalibrationRow => [
      applyCalibration(map, progress),
      strict,
    ]);
    return {
      uses: rollouts.map(({ digest }) => ({ role: 'rows', digest })),
      content: {
        kind: 'calibration',
        maps,
        digest: digestOf(maps),
        episodes: trajectories.length,
        errorOfRaw: expectedCalibrationError(rows.map(({ row }) => row)),
        errorOfFormerMaps: expectedCalibrationError(mapped),
      },
    };
  });
}

function probed(trajectory: Trajectory): ProbedEpisode {
  return { progress: progressByTurn(trajectory), strict: trajectory.verdict?.strict ?? false };
}
