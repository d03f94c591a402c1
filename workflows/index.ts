/** The workflow types of the `control` queue, by the names the Web UI starts them with. */
export { auditRun } from './audit-run.ts';
export { evaluate } from './evaluate.ts';
export { generation } from './generation.ts';
export { policyRefine } from './policy-refine.ts';
export { selfRewrite } from './self-rewrite.ts';
export { trainRun } from './train-run.ts';
export { warmUpCritic } from './warm-up-critic.ts';
