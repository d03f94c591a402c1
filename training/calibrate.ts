/**
 * The calibration maps of a generation: per family, fitted on the plain on-policy train rollouts of the generation
 * before it, then frozen (rl/calibration.ts). Its error is measured on the rollouts of the generation it served.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { digestOf, type Digest } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import { comparePlaces, type Place } from '../contracts/run-store.ts';
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
import { PLAIN_STEPS } from './plain-rollouts.ts';
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

/** Fits the maps of the next generation on this one's plain rollouts; `servedBy`: whose maps scored them. */
export async function calibrate(context: LoopContext, generation: number, servedBy: number): Promise<CalibrationRound> {
  const former = await calibrationsOf(context, servedBy);
  const rollouts = await plainRolloutsOf(context, generation);
  return once<CalibrationRound>(context, placeOf(context, generation), async () => {
    const trajectories = (await loadGroups(context, rollouts)).filter(({ verdict }) => verdict !== null);
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

/** The maps fitted after a generation; the identity for generation 0. */
export async function calibrationsOf(context: LoopContext, generation: number): Promise<Calibrations> {
  if (generation === 0) return {};
  const stored = await context.store.read<CalibrationRound>(placeOf(context, generation));
  if (stored === null) {
    throw new Failure('lineage', `generation ${generation} has no calibration; its stages are not finished`);
  }
  return stored.content.maps;
}

function placeOf(context: LoopContext, generation: number): Place {
  return { generation, stageIndex: context.config.stages.length, step: 'calibration', iteration: 0, group: 0 };
}

/** On-policy, plain prompt, train split; probe sets stay apart. */
async function plainRolloutsOf(context: LoopContext, generation: number): Promise<GroupRef[]> {
  const records = (await context.store.list()).filter(
    ({ place, content }) => place.generation === generation && content.kind === 'group' && PLAIN_STEPS.has(place.step),
  );
  return records.sort((a, b) => comparePlaces(a.place, b.place)).map(({ content }) => content as GroupRef);
}

function probed(trajectory: Trajectory): ProbedEpisode {
  return { progress: progressByTurn(trajectory), strict: trajectory.verdict?.strict ?? false };
}
