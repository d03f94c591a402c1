/**
 * Where people meet a run: takes the updates of messages.ts, answers the query, keeps details panel and search attributes
 * up to date. The story in train-run.ts knows nothing of messages but `untilStopped`.
 */
import { CancellationScope, isCancellation, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Budget, ClaimedRun, FinishedRun, RunRef } from '../activities/run-ref.ts';
import { begun, noted, refuseLate } from './added-families.ts';
import { checkBudget, checkNewTasks, checkReason, refuseUnless } from './check-message.ts';
import { checkTasks } from './check-tasks.ts';
import * as messages from './messages.ts';
import { DESCRIPTIONS } from './messages.ts';
import { FREE, RunControl, type ControlState } from './run-control.ts';
import { detailsOf, reported, startOfProgress, type Report, type RunProgress } from './run-progress.ts';
import { tellSearch } from './search-attributes.ts';

/** What the next execution takes over. */
export interface DeskState {
  readonly control: ControlState;
  readonly progress: RunProgress;
}

export class RunDesk {
  readonly control: RunControl;
  progress: RunProgress;
  stopReason: string | null = null;
  private isOver = false;
  private run: RunRef | null;
  private scope: CancellationScope | null = null;

  constructor(before: (DeskState & { readonly claimed: ClaimedRun }) | null) {
    this.run = before?.claimed.run ?? null;
    this.progress = before?.progress ?? startOfProgress(workflowInfo().workflowId);
    this.control = new RunControl(before?.control ?? FREE, async (reason) => {
      // Nobody may tell a run that is being stopped to try again: it ends with what held it up.
      refuseUnless(!this.isEnding(), reason);
      await this.tell({ kind: 'parked', reason });
    });
    this.listen();
    setCurrentDetails(detailsOf(this.progress));
  }

  get state(): DeskState {
    return { control: this.control.state, progress: this.progress };
  }

  claimed({ run, plan, preset }: ClaimedRun): void {
    this.run = run;
    const { id: runId, ordinal, seed } = run;
    const { paused, budget } = this.control.state;
    this.show({
      ...{ ...this.progress, runId, ordinal, seed, preset, status: paused === null ? 'running' : 'paused' },
      generations: budget.generations ?? plan.generations,
    });
  }

  /** A generation begins; what waited for it joins. */
  begins(generation: number): readonly string[] {
    const { pending } = this.progress.added;
    this.show({ ...this.progress, generation, added: begun(this.progress.added, generation) });
    return pending;
  }

  /** Nothing is begun any more. */
  ends(): void {
    this.isOver = true;
    this.show({ ...this.progress, status: 'stopping', pausedBecause: null });
  }

  finished(finished: FinishedRun): void {
    this.show({ ...this.progress, status: 'finished', stage: 'end', pausedBecause: null, finished });
  }

  async tell(what: Report): Promise<void> {
    this.show(reported(this.progress, what));
    // A parked descendant waits to hear that it may go on, like everyone who was told to pause.
    if (what.kind === 'parked') await this.control.set({ ...this.control.state, paused: what.reason });
  }

  /** Does the work; null when somebody stopped the run meanwhile. */
  async untilStopped<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.stopReason !== null) return null;
    const scope = new CancellationScope();
    this.scope = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      const isStop = this.stopReason !== null && !CancellationScope.current().consideredCancelled;
      if (isStop && isCancellation(error)) return null;
      throw error;
    } finally {
      this.scope = null;
    }
  }

  private show(next: RunProgress): void {
    const before = this.progress;
    this.progress = next;
    setCurrentDetails(detailsOf(next));
    tellSearch(before.status === 'claiming' ? null : before, next);
  }

  private listen(): void {
    setHandler(messages.progress, () => this.progress, { description: DESCRIPTIONS.progress });
    setHandler(messages.report, (what) => this.tell(what), { description: DESCRIPTIONS.report });
    setHandler(messages.pause, (request) => this.pause(request?.reason ?? 'on request'), {
      description: DESCRIPTIONS.pause,
      validator: (request?: messages.Reason) => {
        checkReason('pause', request);
        this.refuseEnded();
        refuseUnless(this.control.state.paused === null, 'the run is paused already');
      },
    });
    setHandler(messages.resume, () => this.resume(), {
      description: DESCRIPTIONS.resume,
      validator: () => {
        this.refuseEnded();
        refuseUnless(this.control.state.paused !== null, 'the run is not paused');
      },
    });
    setHandler(messages.stop, (request) => this.stop(request?.reason ?? 'on request'), {
      description: DESCRIPTIONS.stop,
      validator: (request?: messages.Reason) => {
        checkReason('stop', request);
        this.refuseEnded();
      },
    });
    setHandler(messages.setBudget, (budget) => this.setBudget(budget), {
      description: DESCRIPTIONS.setBudget,
      validator: (budget: unknown) => {
        checkBudget(budget);
        this.refuseEnded();
      },
    });
    setHandler(messages.addTasks, (request) => this.addTasks(request), {
      description: DESCRIPTIONS.addTasks,
      validator: (request: unknown) => {
        checkNewTasks(request);
        this.refuseTasks((request as messages.NewTasks).families);
      },
    });
  }

  private refuseEnded(): void {
    refuseUnless(!this.isEnding(), 'the run has ended or is ending');
  }

  private isEnding(): boolean {
    return this.stopReason !== null || this.isOver;
  }

  private refuseTasks(families: readonly string[]): void {
    this.refuseEnded();
    refuseUnless(this.run !== null, 'addTasks: the run is not claimed yet; try again in a moment');
    refuseLate(this.progress, families);
  }

  private async addTasks({ families }: messages.NewTasks): Promise<messages.TasksNoted> {
    await checkTasks(this.run as RunRef, families, () => this.isEnding());
    // The run went on meanwhile, and others may have sent the same.
    this.refuseTasks(families);
    const from = `generation ${this.progress.generation + 1}`;
    this.show({ ...this.progress, added: noted(this.progress.added, families) });
    return { families, from };
  }

  private async pause(reason: string): Promise<string> {
    this.show({ ...this.progress, status: 'paused', pausedBecause: reason });
    await this.control.set({ ...this.control.state, paused: reason });
    return `paused: ${reason}`;
  }

  private async resume(): Promise<string> {
    this.show({ ...this.progress, status: 'running', pausedBecause: null });
    await this.control.set({ ...this.control.state, paused: null });
    return 'going on';
  }

  private async stop(reason: string): Promise<string> {
    this.stopReason = reason;
    this.show({ ...this.progress, status: 'stopping', pausedBecause: null });
    // What is under way ends; a claim that waits for a pause to end is needed to end in order.
    if (this.scope !== null) this.scope.cancel();
    else await this.control.set({ ...this.control.state, paused: null });
    return `stopping: ${reason}`;
  }

  private async setBudget(change: Budget): Promise<Budget> {
    const budget = { ...this.control.state.budget, ...change };
    this.show({ ...this.progress, budget, generations: budget.generations ?? this.progress.generations });
    await this.control.set({ ...this.control.state, budget });
    return budget;
  }
}
