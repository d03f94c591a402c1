/**
 * What a running `trainRun` is told and asked. Every message takes one object or nothing, so that all of them can be sent
 * from the Web UI, which shows the descriptions. The signals are spoken among our own workflows.
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Budget } from '../activities/run-ref.ts';
import type { ControlState } from './run-control.ts';
import type { Report, RunProgress } from './run-progress.ts';

/** Why a run is paused or stopped, for its details and its result. */
export interface Reason {
  readonly reason?: string;
}

/** Task families to train on, by name. */
export interface NewTasks {
  readonly families: readonly string[];
}

/** What joins, and when: "generation 3". */
export interface TasksNoted extends NewTasks {
  readonly from: string;
}

export const pause = defineUpdate<string, [Reason?]>('pause');
export const resume = defineUpdate<string>('resume');
export const stop = defineUpdate<string, [Reason?]>('stop');
export const setBudget = defineUpdate<Budget, [Budget]>('setBudget');
export const addTasks = defineUpdate<TasksNoted, [NewTasks]>('addTasks');
export const progress = defineQuery<RunProgress>('progress');
/** From a workflow to the child that works for it: the whole state, so that none can be missed. */
export const control = defineSignal<[ControlState]>('control');
/** From a descendant to the run. */
export const report = defineSignal<[Report]>('report');

export const DESCRIPTIONS = {
  pause: 'Halt within seconds; nothing finished is lost. Input: nothing, or {"reason": "..."}',
  resume: 'Go on after a pause, or try again after a failure that parked the run. No input.',
  stop: 'End the run now, cleanly, with what was promoted last. Input: nothing, or {"reason": "..."}',
  setBudget:
    'Change limits, judged after each generation. Input: {"generations": 6, "minutes": 30, "tokens": null, "episodes": null}, each optional; null takes a limit away',
  addTasks:
    'Train on further task families too, from the next generation on. Input: {"families": ["survey"]}; the answer says from which',
  progress: 'Where the run is, and the table of its generations.',
  report: 'Sent by the workflows of the stages.',
  control: 'Sent by the parent workflow.',
} as const;
