/**
 * A trajectory's rewards as numbers: SPR (or plain partial credit) at the end, FDR between turns, spread over its tokens
 * (formulas in rl/). All learning of the loop (advantages, critic targets, Monte-Carlo returns) reads these same rewards.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Trajectory, Verdict } from '../contracts/trajectory.ts';
import { applyCalibration, identityCalibration, type CalibrationMap } from '../rl/calibration.ts';
import { tokenRewards, turnRewards } from '../rl/family-dense-reward.ts';
import { partialCreditReward } from '../rl/partial-credit-reward.ts';
import { rawProgress, successPrioritizedReward } from '../rl/success-prioritized-reward.ts';

/** Calibration maps by family; frozen for a generation. */
export type Calibrations = Readonly<Record<string, CalibrationMap>>;

export interface ScoredTrajectory {
  readonly trajectory: Trajectory;
  /** R, the reward of the whole episode. */
  readonly reward: number;
  /** What enters the advantage estimate at each token, [L]. */
  readonly rewards: Float64Array;
}

/** Scores an episode that has a verdict. */
export function scoreTrajectory(
  trajectory: Trajectory,
  verdict: Verdict,
  config: RunConfig,
  calibrations: Calibrations,
): ScoredTrajectory {
  const { reward: settings, policyRefine } = config;
  const map = settings.calibrate ? (calibrations[trajectory.family] ?? identityCalibration()) : identityCalibration();
  const calibrated = (progress: number): number => applyCalibration(map, progress);
  const { strict, progress } = verdict;
  const spent = {
    turns: trajectory.turns.length,
    turnLimit: trajectory.turnLimit,
    limitHit: trajectory.endedBy !== 'done',
  };
  const reward = settings.successPrioritized
    ? successPrioritizedReward({ strict, progress: calibrated(progress), ...spent }, settings)
    : partialCreditReward({ progress, ...spent }, settings);
  const perTurn = turnRewards({
    turns: trajectory.turns.length,
    probes: progressByTurn(trajectory).map(calibrated),
    familyWeight: settings.familyWeight,
    gamma: policyRefine.gamma,
    terminated: true,
    reward,
  });
  return { trajectory, reward, rewards: tokenRewards(perTurn, trajectory.actionMask, trajectory.turnIds) };
}

/** Raw progress of the untouched task and after each turn, [K + 1]. */
export function progressByTurn(trajectory: Trajectory): number[] {
  return [trajectory.initialChecks, ...trajectory.turns.map((turn) => turn.checks)].map((checks) =>
    rawProgress(trajectory.checkWeights, checks),
  );
}
