/** A hand-made task for tests of terminals: three files, one directory, two checks. */
import type { Task, TaskLimits } from '../../contracts/task.ts';

export const WORKDIR = '/home/agent/work';

const LIMITS: TaskLimits = { turns: 9, tokensPerTurn: 14, context: 190, commandSeconds: 5 };

export function aTask(changes: Partial<Task> & { readonly commandSeconds?: number } = {}): Task {
  const { commandSeconds = LIMITS.commandSeconds, ...rest } = changes;
  return {
    kind: 'task',
    id: 'ab'.repeat(32),
    family: 'test',
    split: 'train',
    instruction: 'write maple to cedar; mode 600 for amber',
    workdir: WORKDIR,
    directories: [`${WORKDIR}/attic`],
    files: [
      { path: `${WORKDIR}/amber`, content: 'host=11\nport=22\n', mode: 0o644 },
      { path: `${WORKDIR}/old.tmp`, content: 'draft\n', mode: 0o600 },
      { path: `${WORKDIR}/empty`, content: '', mode: 0o755 },
    ],
    checks: [
      {
        ...{ name: '1-write', weight: 1, subGoal: 0 },
        conditions: [{ kind: 'content-equals', path: `${WORKDIR}/cedar`, content: 'maple\n' }],
      },
      {
        ...{ name: '2-perm', weight: 1, subGoal: 1 },
        conditions: [{ kind: 'mode-equals', path: `${WORKDIR}/amber`, mode: 0o600 }],
      },
    ],
    subGoals: [],
    limits: { ...LIMITS, commandSeconds },
    verifierDigest: 'cd'.repeat(32),
    ...rest,
  };
}
