/** The kinds of work that a run's time is shared out among, and which stored step belongs to which. */
export const WORK_KINDS = ['demonstrations', 'sampling', 'updates', 'evaluation', 'storage', 'other'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** As a person reads them. */
export const WORK_NAMES: Readonly<Record<WorkKind, string>> = {
  demonstrations: 'demonstrations (scripted agents in the sandbox)',
  sampling: 'sampling (rollouts, rewrites, probes)',
  updates: 'updates (imitation, critic, PPO, fine-tuning)',
  evaluation: 'evaluation',
  storage: 'storage (waiting for records and files to be written and read)',
  other: 'other (gates, calibration, loading)',
};

const KIND_OF_STEP: Readonly<Record<string, WorkKind>> = {
  demonstrations: 'demonstrations',
  rollout: 'sampling',
  rewrite: 'sampling',
  probe: 'sampling',
  'handoff-probe': 'sampling',
  'handoff-rollout': 'sampling',
  'start-model': 'updates',
  imitation: 'updates',
  'critic-update': 'updates',
  handoff: 'updates',
  'policy-update': 'updates',
  'fine-tune': 'updates',
};

export function kindOfWork(step: string): WorkKind {
  if (step.startsWith('evaluate-') || step.startsWith('outcomes-') || step.startsWith('drift')) return 'evaluation';
  return KIND_OF_STEP[step] ?? 'other';
}
