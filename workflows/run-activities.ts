/** The activities as the workflows call them: by type only, each call with a one-line summary for the Web UI. */
import { proxyActivities } from '@temporalio/workflow';
import type { ControlActivities } from '../activities/create-control.ts';
import type { GpuActivities } from '../activities/create-gpu.ts';
import type { SandboxActivities } from '../activities/create-sandbox.ts';
import { AUDIT, CLAIM, compute, FINISH, SANDBOX } from './options.ts';

export function claimActivity() {
  return proxyActivities<ControlActivities>(CLAIM).claimRun;
}

export function finishActivity() {
  return proxyActivities<ControlActivities>(FINISH).finishRun;
}

export function auditActivity() {
  return proxyActivities<ControlActivities>(AUDIT).audit;
}

export function gpuActivities(heartbeatSeconds: number) {
  return proxyActivities<GpuActivities>(compute(heartbeatSeconds));
}

export function sandboxActivities() {
  return proxyActivities<SandboxActivities>(SANDBOX);
}
