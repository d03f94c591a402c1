/**
 * The report of a run as plain data: everything that the terminal, `--json` and the HTML page show, computed once by a
 * pure function. Rates are recomputed from the outcomes of single tasks; an interval or mean over nothing is null.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { StoredRecord } from '../contracts/run-store.ts';
import type { RunEnd } from '../training/recursion.ts';
import type { RunResult } from '../training/run-result.ts';
import { addedFamilyReports, type AddedFamilyReport } from './report/added-families.ts';
import { calibrationReports, type CalibrationReport } from './report/calibrations.ts';
import { changedKeys, type ChangedKey } from './report/changed-keys.ts';
import { evaluationReports, headlines, type EvaluationReport, type Headline } from './report/evaluations.ts';
import { lineageReport, type LineageReport } from './report/lineage.ts';
import { movements, type Movements } from './report/movements.ts';
import { promotionReports, type PromotionReport } from './report/promotions.ts';
import { criticReports, refineReports, type CriticReport, type RefineReport } from './report/refinements.ts';
import { rewriteReports, type RewriteReport } from './report/rewrites.ts';
import { timeReport, type TimeReport } from './report/time-shares.ts';
import { trainingReports, type TrainingReport } from './report/training-rollouts.ts';

/** Raised whenever a field changes its name or meaning. */
export const RUN_REPORT_SCHEMA = 'terminal-rsi/run-report/4';

export interface RunReport {
  readonly schema: typeof RUN_REPORT_SCHEMA;
  readonly run: RunIdentity;
  readonly end: RunEnd & { readonly promotedGeneration: number; readonly generations: number };
  /** Greedy decoding on the held-out tasks: the first table of every view. */
  readonly movement: Movements;
  /** Held-out tasks and the unseen composition, greedy and sampled, at the start and at the promoted end. */
  readonly headlines: readonly Headline[];
  /** The start and every generation, in order. */
  readonly evaluations: readonly EvaluationReport[];
  /** Left out where nobody added any. */
  readonly addedFamilies?: readonly AddedFamilyReport[];
  readonly promotions: readonly PromotionReport[];
  /** Plain rollouts on train tasks, stage by stage: what the policy did while it learnt. */
  readonly training: readonly TrainingReport[];
  readonly rewrites: readonly RewriteReport[];
  readonly critic: readonly CriticReport[];
  readonly refinements: readonly RefineReport[];
  readonly calibrations: readonly CalibrationReport[];
  readonly time: TimeReport;
  readonly lineage: LineageReport;
  readonly config: RunConfig;
  readonly changedKeys: readonly ChangedKey[];
}

/** What the run was computed with. */
export interface BackendReport {
  readonly name: string;
  readonly library: string;
  readonly version: string;
  /** What else has an influence on the bits, as model/backend.ts describes it; null where the process is not ours. */
  readonly details: BackendDetails | null;
}

export interface BackendDetails {
  readonly tfjs: string;
  readonly device: string;
  readonly threads: number | null;
  readonly oneDnn: boolean;
  readonly simd: boolean;
  readonly cpuModel: string;
  readonly cpuFlags: readonly string[];
  readonly fallback: string | null;
}

export interface RunIdentity {
  readonly preset: string;
  readonly seed: number;
  /** Of a run in one process; null for a durable one. */
  readonly folder: string | null;
  /** Null for a run in one process. */
  readonly durable: DurableIdentity | null;
  readonly configDigest: string;
  readonly contentHead: string;
  /** Null where it was not recorded. */
  readonly backend: BackendReport | null;
  readonly tokenizerDigest: string;
  readonly sandbox: string;
  readonly node: string;
  readonly platform: string;
}

/** Where a durable run stands in the lineage database. */
export interface DurableIdentity {
  /** Number of its row. */
  readonly runId: number;
  readonly workflowId: string;
  /** Counts the runs of the workflow id, from 1. */
  readonly ordinal: number;
  readonly events: number;
  /** Last hash of the chain of events: kept elsewhere, it proves that nothing was cut off or written anew. */
  readonly eventHead: string;
  /** Its page in the Web UI; null where none is known of. */
  readonly page: string | null;
}

/** What a run's result does not say of itself. */
export interface ReportExtras {
  readonly folder: string | null;
  readonly durable: DurableIdentity | null;
  readonly configDigest: string;
  readonly backend: RunIdentity['backend'];
  readonly tokenizerDigest: string;
  readonly sandbox: string;
  readonly node: string;
  readonly platform: string;
  /** The store's records: circumstances (seconds, elapsed) and the chain of stored contents. */
  readonly records: readonly StoredRecord[];
}

export function runReport(result: RunResult, extras: ReportExtras): RunReport {
  const { records, ...circumstances } = extras;
  const { config, contentHead } = result;
  const addedFamilies = addedFamilyReports(result);
  return {
    schema: RUN_REPORT_SCHEMA,
    run: { preset: config.preset, seed: config.seed, contentHead, ...circumstances },
    end: { ...result.end, promotedGeneration: result.promotedGeneration, generations: result.generations.length },
    movement: movements(result),
    headlines: headlines(result),
    evaluations: evaluationReports(result),
    ...(addedFamilies.length === 0 ? {} : { addedFamilies }),
    promotions: promotionReports(result),
    training: trainingReports(result),
    rewrites: rewriteReports(result),
    critic: criticReports(result),
    refinements: refineReports(result),
    calibrations: calibrationReports(result),
    time: timeReport(records),
    lineage: lineageReport(result, records),
    config,
    changedKeys: changedKeys(config),
  };
}
