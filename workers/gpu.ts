/** The `gpu` worker: one device, one compute process, one activity at a time. This thread only beats and relays. */
import { openComputeProcess } from '../activities/compute-process.ts';
import { createGpuActivities } from '../activities/create-gpu.ts';
import { openRunMetrics } from '../activities/run-metrics.ts';
import { main, runWorker } from './run-worker.ts';
import { workerSettings } from './settings.ts';

await main(async () => {
  const settings = workerSettings();
  const { databaseUrl, blobs } = settings;
  const compute = openComputeProcess({ storage: { databaseUrl, blobs }, log: (line) => console.error(`gpu: ${line}`) });
  await runWorker(settings, {
    name: 'gpu',
    options: (meter) => ({
      taskQueue: 'gpu',
      activities: createGpuActivities(compute, openRunMetrics(meter)),
      maxConcurrentActivityTaskExecutions: 1,
      // Cancellation comes with the answer to a heartbeat; a pause is to be felt within seconds.
      maxHeartbeatThrottleInterval: '2 seconds',
    }),
    close: () => compute.close(),
  });
});
