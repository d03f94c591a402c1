/** The `control` worker: workflows, and activities that need the database alone. Any number of them may run. */
import { createControlActivities } from '../activities/create-control.ts';
import { openRunMetrics } from '../activities/run-metrics.ts';
import { main, runWorker } from './run-worker.ts';
import { workerSettings } from './settings.ts';
import { buildWorkflowBundle } from './workflow-bundle.ts';

await main(async () => {
  const settings = workerSettings();
  const codePath = process.env['RSI_WORKFLOW_BUNDLE'] || (await buildWorkflowBundle(settings.home));
  await runWorker(settings, {
    name: 'control',
    options: (meter) => ({
      taskQueue: 'control',
      workflowBundle: { codePath },
      activities: createControlActivities(settings, openRunMetrics(meter)),
      // A run has four workflows open at most; explicit, since the default goes by the machine's whole memory.
      maxCachedWorkflows: 100,
      maxConcurrentActivityTaskExecutions: 10,
      // How long a workflow waits for the worker that knows it before another one takes it: what a crash costs.
      stickyQueueScheduleToStartTimeout: '3 seconds',
    }),
  });
});
