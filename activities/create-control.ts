/** Activities of the `control` queue: the run's row, its end, its audit. Seconds each; no tensors. */
import { activityInfo, log } from '@temporalio/activity';
import { canonicalText } from '../contracts/canonical-text.ts';
import { digestOf } from '../contracts/digest.ts';
import { auditRun, type AuditResult } from '../lineage/audit/audit-run.ts';
import { recordEnd } from '../training/recorded-end.ts';
import type { PromotedState, RunEnd } from '../training/recursion.ts';
import { atBoundary } from './failures.ts';
import { loadRunConfig } from './load-run-config.ts';
import { resolveInput } from './resolve-input.ts';
import type { RunMetrics } from './run-metrics.ts';
import type { ClaimedRun, FinishedRun, RunRef } from './run-ref.ts';
import { openRunStore, type Storage } from './run-store.ts';

export interface ControlSettings extends Storage {
  /** Heartbeat timeout of the activities that compute, in seconds. */
  readonly heartbeatSeconds: number;
}

/** Short runs are for tests and crash tests: a dead worker is to be noticed soon. */
const SMOKE_HEARTBEAT_SECONDS = 5;

export function createControlActivities(settings: ControlSettings, metrics: RunMetrics) {
  return {
    /** Refuses a wrong configuration, else claims the run's row; the same execution always gets the same one. */
    async claimRun(input: unknown, firstExecutionRunId: string): Promise<ClaimedRun> {
      const config = await atBoundary('config', async () => resolveInput(input));
      const { workflowId } = activityInfo().workflowExecution ?? { workflowId: 'none' };
      return atBoundary('storage', async () => {
        const claim = { workflowId, firstExecutionRunId, configDigest: digestOf(config), seed: config.seed };
        const store = await openRunStore(settings, claim);
        try {
          await store.putBlob(new TextEncoder().encode(canonicalText(config)));
          const run: RunRef = { id: store.runId, ordinal: store.ordinal, ...claim };
          log.info('run claimed', { runId: run.id, ordinal: run.ordinal, preset: config.preset, seed: config.seed });
          const { generations, stages, preset } = config;
          metrics.claimed(preset);
          const { klCoefficient } = config.policyRefine;
          const heartbeatSeconds =
            preset === 'smoke'
              ? Math.min(SMOKE_HEARTBEAT_SECONDS, settings.heartbeatSeconds)
              : settings.heartbeatSeconds;
          return { run, plan: { generations, stages, klCoefficient }, preset, heartbeatSeconds };
        } finally {
          await store.close();
        }
      });
    },

    /** The heads of a run that has ended; why, where nothing else in its records tells. */
    async finishRun(run: RunRef, end: RunEnd, current: PromotedState | null): Promise<FinishedRun> {
      return atBoundary('storage', async () => {
        const store = await openRunStore(settings, run);
        try {
          await recordEnd(store, end, await loadRunConfig((digest) => store.getBlob(digest), run));
          const { head, events } = await store.eventHead();
          const contentHead = await store.contentHead();
          // Of a run that was stopped, people's words follow the colon.
          metrics.ended(end.reason.split(':')[0] ?? '');
          return {
            ...{ runId: run.id, ordinal: run.ordinal, end, promotedGeneration: current?.generation ?? null },
            ...{ contentHead, eventHead: head, events },
          };
        } finally {
          await store.close();
        }
      });
    },

    /** Recomputes chain and digests from database and files alone. */
    async audit(runId: number): Promise<AuditResult> {
      const { databaseUrl, blobs } = settings;
      return atBoundary('lineage', () => auditRun({ url: databaseUrl, blobs, runId }));
    },
  };
}

export type ControlActivities = ReturnType<typeof createControlActivities>;
