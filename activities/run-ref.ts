/**
 * What workflows and activities tell each other of a run: references and small numbers, JSON-safe. Everything else is
 * found by them in the lineage.
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import type { Digest } from '../contracts/digest.ts';
import type { RecursionPlan, RefinedState, RunEnd } from '../training/recursion.ts';

/** A claimed run: enough to open its store in any process. */
export interface RunRef {
  /** Number of its row. */
  readonly id: number;
  /** Counts the runs of the workflow id, from 1. */
  readonly ordinal: number;
  readonly workflowId: string;
  readonly firstExecutionRunId: string;
  /** Name of the stored file that holds the configuration. */
  readonly configDigest: Digest;
  readonly seed: number;
}

export interface ClaimedRun {
  readonly run: RunRef;
  readonly plan: RecursionPlan;
  readonly preset: string;
  /** Silence after which an activity that computes counts as dead. */
  readonly heartbeatSeconds: number;
}

/** Budgets changed while the run goes on; what is left out stays as configured, null takes the limit away. */
export interface Budget {
  readonly generations?: number;
  readonly minutes?: number | null;
  readonly tokens?: number | null;
  readonly episodes?: number | null;
}

/** The numbers of an evaluation that the run's table shows; rates are over tasks with a verdict. */
export interface EvaluationNote {
  readonly strict: number;
  readonly n: number;
  readonly partial: number | null;
  readonly heldOutStrict: number;
  readonly heldOutN: number;
}

/** A family that joined a run: where the policy stood on its held-out tasks before anything was trained on it. */
export interface FamilyNote {
  readonly family: string;
  readonly strict: number;
  readonly n: number;
}

export interface RewriteNote {
  readonly policy: CheckpointRef;
  readonly candidates: number;
  readonly accepted: number;
}

export interface RefineNote extends RefinedState {
  readonly iterations: number;
}

export interface CriticNote {
  readonly critic: CheckpointRef;
  readonly explainedVariance: number | null;
}

export interface JudgeNote {
  readonly promoted: boolean;
  readonly newBest: boolean;
  readonly klToStart: number | null;
}

/** How a run ended, once everything is stored. */
export interface FinishedRun {
  readonly runId: number;
  readonly ordinal: number;
  readonly end: RunEnd;
  readonly promotedGeneration: number | null;
  readonly contentHead: Digest;
  readonly eventHead: Digest;
  readonly events: number;
}
