/**
 * What people want of a run while it goes on, kept by each of its workflows: `trainRun` is told, and passes the whole
 * state on to the child that works for it, down to the stage. A pause ends the work under way (every finished piece of it
 * is stored) and `run` does it again afterwards.
 */
import {
  CancellationScope,
  condition,
  isCancellation,
  startChild,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type { Workflow } from '@temporalio/workflow';
import type { Budget } from '../activities/run-ref.ts';
import { parkingReason } from './failure-reason.ts';

export interface ControlState {
  /** Why nothing is being done; null: work goes on. */
  readonly paused: string | null;
  readonly budget: Budget;
}

export const FREE: ControlState = { paused: null, budget: {} };

/** How `startChild` is called for one workflow type. */
export interface ChildCall {
  readonly workflowId: string;
  readonly summary: string;
  /** What the child is started with, but for `control`. */
  readonly input: object;
}

export class RunControl {
  private scope: CancellationScope | null = null;
  private child: ChildWorkflowHandle<Workflow> | null = null;
  state: ControlState;
  private readonly onPark: (reason: string) => Promise<void>;

  constructor(state: ControlState, onPark: (reason: string) => Promise<void>) {
    this.state = state;
    this.onPark = onPark;
  }

  /** Takes a new state over and passes it on. */
  async set(state: ControlState): Promise<void> {
    this.state = state;
    if (state.paused !== null) this.scope?.cancel();
    await this.child?.signal('control', state);
  }

  /** Does a piece of work that may be done twice: again after a pause, and when a person says so after a failure. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      await condition(() => this.state.paused === null);
      const scope = new CancellationScope();
      this.scope = scope;
      try {
        return await scope.run(work);
      } catch (error) {
        const isPause = isCancellation(error) && !CancellationScope.current().consideredCancelled;
        if (isPause && scope.consideredCancelled) continue;
        const reason = parkingReason(error);
        if (reason === null) throw error;
        // A machine problem that outlasted all attempts: wait for a person rather than lose the run.
        this.state = { ...this.state, paused: reason };
        await this.onPark(reason);
      } finally {
        this.scope = null;
      }
    }
  }

  /** Runs a child to its end and lets it know what people want. */
  async executeChild<T>(type: string, { workflowId, summary, input }: ChildCall): Promise<T> {
    await condition(() => this.state.paused === null);
    const started = this.state;
    const child = await startChild<Workflow>(type, {
      workflowId,
      staticSummary: summary,
      args: [{ ...input, control: started }],
    });
    this.child = child;
    try {
      if (this.state !== started) await child.signal('control', this.state);
      return (await child.result()) as T;
    } finally {
      this.child = null;
    }
  }
}
