/**
 * Activities of the `gpu` queue, one for each step of the recursion: each hands its step to the compute process, beats
 * while it makes progress, and ends it when cancelled. A step that was interrupted goes on where it was, because every
 * piece of work in it is stored once per place (training/context.ts).
 */
import { activityInfo, CancelledFailure, cancellationSignal, heartbeat, log } from '@temporalio/activity';
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import { Failure } from '../contracts/failures.ts';
import type { PromotedState, RunEnd, RunState, StagePlace } from '../training/recursion.ts';
import type { Job, StepName } from './compute-messages.ts';
import { ComputeInterrupted, type ComputeListener, type ComputeProcess } from './compute-process.ts';
import { atBoundary } from './failures.ts';
import { startHeart } from './heart.ts';
import { recordSpans } from './record-spans.ts';
import type { RunMetrics } from './run-metrics.ts';
import type {
  Budget,
  CriticNote,
  EvaluationNote,
  FamilyNote,
  JudgeNote,
  RefineNote,
  RewriteNote,
  RunRef,
} from './run-ref.ts';

export function createGpuActivities(compute: ComputeProcess, metrics: RunMetrics) {
  const step = <T>(name: StepName, run: RunRef, args: readonly unknown[], budget: Budget = {}): Promise<T> =>
    runStep({ compute, metrics }, { run, step: name, args, lease: leaseOfAttempt(), budget }) as Promise<T>;
  return {
    warmStart: (run: RunRef): Promise<CheckpointRef> => step('warmStart', run, []),

    warmUpCritic: (run: RunRef, policy: CheckpointRef): Promise<CriticNote> => step('warmUpCritic', run, [policy]),

    evaluate: (run: RunRef, generation: number, policy: CheckpointRef): Promise<EvaluationNote> =>
      step('evaluate', run, [generation, policy]),

    admitTasks: (
      run: RunRef,
      generation: number,
      policy: CheckpointRef,
      families: readonly string[],
    ): Promise<FamilyNote[]> => step('admitTasks', run, [generation, policy, families]),

    selfRewrite: (run: RunRef, place: StagePlace, policy: CheckpointRef, base: CheckpointRef): Promise<RewriteNote> =>
      step('selfRewrite', run, [place, policy, base]),

    policyRefine: (
      run: RunRef,
      place: StagePlace,
      policy: CheckpointRef,
      promoted: PromotedState,
    ): Promise<RefineNote> => step('policyRefine', run, [place, policy, promoted]),

    judge: (run: RunRef, candidate: PromotedState, state: RunState): Promise<JudgeNote> =>
      step('judge', run, [candidate, state]),

    shouldStop: (
      run: RunRef,
      generation: number,
      bestGeneration: number,
      withoutNewBest: number,
      budget: Budget,
    ): Promise<RunEnd | null> => step('shouldStop', run, [generation, bestGeneration, withoutNewBest], budget),
  };
}

export type GpuActivities = ReturnType<typeof createGpuActivities>;

/** Later attempts have later times: the server's clock counts, not this machine's. */
function leaseOfAttempt(): number {
  return activityInfo().currentAttemptScheduledTimestampMs;
}

interface Device {
  readonly compute: ComputeProcess;
  readonly metrics: RunMetrics;
}

function runStep({ compute, metrics }: Device, job: Job): Promise<unknown> {
  return atBoundary('compute', async () => {
    const signal = cancellationSignal();
    const hung = new AbortController();
    const heart = startHeart({
      timeoutMs: activityInfo().heartbeatTimeoutMs ?? 30_000,
      beat: heartbeat,
      onStall: () => {
        log.error('no progress for too long; the step is given up', { step: job.step });
        hung.abort();
      },
    });
    const tell = recordSpans(job.run.id);
    const listener: ComputeListener = {
      progress: (progress) => heart.progress(progress),
      stored: (generation, note) => {
        metrics.stored(generation, note);
        tell(generation, note);
      },
    };
    try {
      return await compute.run(job, listener, AbortSignal.any([signal, hung.signal]));
    } catch (error) {
      if (!(error instanceof ComputeInterrupted)) throw error;
      if (hung.signal.aborted) throw new Failure('compute', `${job.step} made no progress and was ended`);
      throw signal.reason instanceof CancelledFailure ? signal.reason : new CancelledFailure(error.message);
    } finally {
      heart.stop();
    }
  });
}
