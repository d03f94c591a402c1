/** What the resume tests run: a warm start of two chunks, then every kind of stage. */
import type { RunConfig } from '../../contracts/config/run-config.ts';
import { tinyConfig } from './tiny-run.ts';

export function resumeConfig(): RunConfig {
  return tinyConfig({
    warmStart: { demonstrations: 1100, rewriteDemonstrations: 120 },
    rollout: { sandboxWorkers: 1 },
    selfRewrite: { episodes: 16, maxParents: 16, rewritesPerParent: 1 },
    policyRefine: { iterations: 2, episodes: 16 },
  });
}
