/**
 * A whole run, told as in training/recursion.ts: claim, begin, one generation after another, end, audit. Started from the
 * Web UI with `{}`, a preset, or any keys of the configuration. A generation ends with continue-as-new, so that no
 * history grows with the length of the run.
 */
import { allHandlersFinished, condition, continueAsNew, executeChild, workflowInfo } from '@temporalio/workflow';
import type { ClaimedRun, FinishedRun } from '../activities/run-ref.ts';
import type { AuditResult } from '../lineage/audit/audit-run.ts';
import { beginRun, stoppedEnd, type RunEnd, type RunState } from '../training/recursion.ts';
import { auditRun } from './audit-run.ts';
import { durableSteps } from './durable-steps.ts';
import { asRunFailure } from './failure-reason.ts';
import type { GenerationInput } from './generation.ts';
import { claimActivity, finishActivity, sandboxActivities } from './run-activities.ts';
import { RunDesk, type DeskState } from './run-desk.ts';

/** Keys of the run configuration, all optional; `continued` is the workflow's own. */
export interface TrainRunInput {
  readonly preset?: string;
  readonly [key: string]: unknown;
  readonly continued?: Continued;
}

/** The generation to be begun, and what it starts from. */
interface Position {
  readonly generation: number;
  readonly state: RunState;
}

interface Continued extends DeskState, Position {
  readonly claimed: ClaimedRun;
}

/** A message that still waits for an activity holds the next generation up no longer; it is answered in that one. */
const LONGEST_ANSWER = '1 minute';

/** Events below which a new execution is not worth its cost; a generation of a real run has more. */
const SHORTEST_CHAPTER = 60;

export interface TrainRunResult extends FinishedRun {
  readonly audit: Pick<AuditResult, 'ok' | 'firstBad'>;
}

export async function trainRun(input?: TrainRunInput): Promise<TrainRunResult> {
  const { given, continued } = chapterOf(input);
  const desk = new RunDesk(continued);
  try {
    const claimed = continued?.claimed ?? (await claim(desk, given));
    desk.claimed(claimed);
    for (let position: Position | null = continued; ;) {
      const before: Position | null = position;
      const state = await desk.untilStopped(() =>
        before === null ? begin(desk, claimed) : oneMore(desk, claimed, before),
      );
      if (state === null)
        return await finish(desk, claimed, stoppedEnd(desk.stopReason ?? 'on request'), before?.state ?? null);
      if (state.end !== null) return await finish(desk, claimed, state.end, state);
      position = { generation: (before?.generation ?? 0) + 1, state };
      const isQuiet = allHandlersFinished() || (await condition(allHandlersFinished, LONGEST_ANSWER));
      if (isQuiet && desk.stopReason === null && workflowInfo().historyLength >= SHORTEST_CHAPTER) {
        return await continueAsNew<typeof trainRun>({ ...given, continued: { claimed, ...position, ...desk.state } });
      }
    }
  } catch (error) {
    throw asRunFailure(error);
  }
}

/** The input of a first execution is a person's, also when the form copied it from a continued one. */
function chapterOf(input: TrainRunInput | null | undefined): { given: TrainRunInput; continued: Continued | null } {
  // Not an object: the claim says so in its words.
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { given: input ?? {}, continued: null };
  }
  const { continued = null, ...given } = input;
  return { given, continued: workflowInfo().continuedFromExecutionRunId === undefined ? null : continued };
}

async function claim(desk: RunDesk, given: TrainRunInput): Promise<ClaimedRun> {
  const { firstExecutionRunId } = workflowInfo();
  return desk.control.run(() =>
    claimActivity().executeWithOptions({ summary: 'check the configuration, claim the run' }, [
      given,
      firstExecutionRunId,
    ]),
  );
}

async function begin(desk: RunDesk, { run, plan, heartbeatSeconds }: ClaimedRun): Promise<RunState> {
  const { workflowId } = workflowInfo();
  await desk.tell({ kind: 'stage', generation: 0, stage: 'validate-tasks', workflowId });
  const { validateTasks } = sandboxActivities();
  await desk.control.run(() => validateTasks.executeWithOptions({ summary: 'validate tasks' }, [run, null]));
  const steps = durableSteps({
    ...{ run, heartbeatSeconds, control: desk.control, workflowId, joining: [] },
    tell: (what) => desk.tell(what),
  });
  return beginRun(plan, steps);
}

async function oneMore(desk: RunDesk, claimed: ClaimedRun, { generation, state }: Position): Promise<RunState> {
  const { run, plan, heartbeatSeconds } = claimed;
  // A limit that was lowered below what is done ends the run with this one.
  const generations = Math.max(generation, desk.control.state.budget.generations ?? plan.generations);
  const input: Omit<GenerationInput, 'control'> = {
    run,
    heartbeatSeconds,
    plan: { ...plan, generations },
    generation,
    state,
    joining: desk.begins(generation),
  };
  return desk.control.executeChild<RunState>('generation', {
    ...{ workflowId: `${run.workflowId}/g${generation}`, summary: `generation ${generation}`, input },
  });
}

async function finish(
  desk: RunDesk,
  { run }: ClaimedRun,
  end: RunEnd,
  state: RunState | null,
): Promise<TrainRunResult> {
  desk.ends();
  const finished = await finishActivity().executeWithOptions({ summary: `end: ${end.reason}` }, [
    run,
    end,
    state?.current ?? null,
  ]);
  const { ok, firstBad } = await executeChild(auditRun, {
    ...{ workflowId: `${run.workflowId}/audit`, args: [{ runId: run.id }], staticSummary: `audit of run ${run.id}` },
  });
  desk.finished(finished);
  await condition(allHandlersFinished);
  return { ...finished, audit: { ok, firstBad } };
}
