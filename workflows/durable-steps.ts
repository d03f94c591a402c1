/**
 * The steps of the recursion as child workflows and activities: what local-run.ts does here and now, done durably. Each
 * step is a child of the workflow that tells the story, named after its place, except for short ones.
 */
import type { CriticNote, EvaluationNote, RefineNote, RewriteNote, RunRef } from '../activities/run-ref.ts';
import type { RecursionSteps, StagePlace } from '../training/recursion.ts';
import { gpuActivities } from './run-activities.ts';
import type { RunControl } from './run-control.ts';
import type { Report } from './run-progress.ts';
import type { EvaluateInput, RefineInput, RewriteInput, WarmUpInput } from './stage-input.ts';

export interface StepsContext {
  readonly run: RunRef;
  readonly heartbeatSeconds: number;
  readonly control: RunControl;
  /** Where the story is told: its own activities are found there. */
  readonly workflowId: string;
  readonly tell: (report: Report) => Promise<void>;
  /** Families that were added and join now. */
  readonly joining: readonly string[];
}

export function durableSteps({
  run,
  heartbeatSeconds,
  control,
  workflowId,
  tell,
  joining,
}: StepsContext): RecursionSteps {
  const act = gpuActivities(heartbeatSeconds);
  const base = { run, heartbeatSeconds };
  /** "<run>/g1/s0-self-rewrite" */
  const child = async <T>(type: string, generation: number, name: string, input: object): Promise<T> => {
    const id = `${run.workflowId}/g${generation}/${name}`;
    await tell({ kind: 'stage', generation, stage: name, workflowId: id });
    return control.executeChild<T>(type, { workflowId: id, summary: `g${generation} / ${name}`, input });
  };
  const here = async <T>(generation: number, stage: string, work: (summary: string) => Promise<T>): Promise<T> => {
    await tell({ kind: 'stage', generation, stage, workflowId });
    return control.run(() => work(`g${generation} / ${stage}`));
  };
  const nameOf = ({ stageIndex }: StagePlace, kind: string): string => `s${stageIndex}-${kind}`;
  return {
    // Told where a step begins, which may wait; this may not.
    enter: () => undefined,
    warmStart: () => here(0, 'warm-start', (summary) => act.warmStart.executeWithOptions({ summary }, [run])),
    warmUpCritic: async (policy) => {
      const input: Omit<WarmUpInput, 'control'> = { ...base, policy };
      return (await child<CriticNote>('warmUpCritic', 0, 's0-warm-up-critic', input)).critic;
    },
    evaluate: async (generation, policy) => {
      const input: Omit<EvaluateInput, 'control'> = { ...base, generation, policy };
      const evaluation = await child<EvaluationNote>('evaluate', generation, 'evaluate', input);
      await tell({ kind: 'row', generation, evaluation });
    },
    admitTasks: async (generation, policy) => {
      if (joining.length === 0) return;
      const families = await here(generation, 'added tasks', (summary) =>
        act.admitTasks.executeWithOptions({ summary }, [run, generation, policy, joining]),
      );
      await tell({ kind: 'joined', families });
    },
    selfRewrite: async (place, policy, start) => {
      const input: Omit<RewriteInput, 'control'> = { ...base, place, policy, base: start };
      const { generation } = place;
      const note = await child<RewriteNote>('selfRewrite', generation, nameOf(place, 'self-rewrite'), input);
      await tell({ kind: 'row', generation, candidates: note.candidates, accepted: note.accepted });
      return note.policy;
    },
    policyRefine: (place, policy, promoted) => {
      const input: Omit<RefineInput, 'control'> = { ...base, place, policy, promoted };
      return child<RefineNote>('policyRefine', place.generation, nameOf(place, 'policy-refine'), input);
    },
    judge: async (candidate, state) => {
      const { generation } = candidate;
      const { promoted, newBest, klToStart } = await here(generation, 'judge', (summary) =>
        act.judge.executeWithOptions({ summary }, [run, candidate, state]),
      );
      await tell({ kind: 'row', generation, klToStart, promoted });
      return { promoted, newBest };
    },
    shouldStop: (generation, bestGeneration, withoutNewBest) =>
      here(generation, 'stop rules', (summary) =>
        act.shouldStop.executeWithOptions({ summary }, [
          run,
          generation,
          bestGeneration,
          withoutNewBest,
          control.state.budget,
        ]),
      ),
  };
}
