/** The `sandbox` worker: plays tasks in terminals to see whether they are sound. Knows neither model nor database. */
import { createSandboxActivities } from '../activities/create-sandbox.ts';
import { openRunMetrics } from '../activities/run-metrics.ts';
import { main, runWorker } from './run-worker.ts';
import { workerSettings } from './settings.ts';

await main(async () => {
  const settings = workerSettings();
  await runWorker(settings, {
    name: 'sandbox',
    options: (meter) => ({
      taskQueue: 'sandbox',
      activities: createSandboxActivities(settings, openRunMetrics(meter)),
      // Each has a thread of its own with some 150 MB.
      maxConcurrentActivityTaskExecutions: 2,
      // Cancellation comes with the answer to a heartbeat.
      maxHeartbeatThrottleInterval: '2 seconds',
    }),
  });
});
