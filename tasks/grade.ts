/**
 * Checks against the files as they are: 1 or 0 each, in the task's order. Runs on the host; the sandbox's adapter
 * implements FileView and the policy never sees what is read here. Progress and strictness are made of these in rl/.
 */
import type { Check, Condition } from '../contracts/task.ts';

/** Paths are absolute. Null: there is no such file (a directory has no content, but a mode). */
export interface FileView {
  readFile(path: string): Promise<string | null>;
  mode(path: string): Promise<number | null>;
  exists(path: string): Promise<boolean>;
}

const PERMISSION_BITS = 0o7777;

export async function holds(condition: Condition, view: FileView): Promise<boolean> {
  switch (condition.kind) {
    case 'content-equals':
      return (await view.readFile(condition.path)) === condition.content;
    case 'absent':
      return !(await view.exists(condition.path));
    case 'mode-equals': {
      const mode = await view.mode(condition.path);
      return mode !== null && (mode & PERMISSION_BITS) === condition.mode;
    }
  }
}

/** 1 per check whose conditions all hold. */
export async function gradeChecks(checks: readonly Check[], view: FileView): Promise<number[]> {
  const results: number[] = [];
  for (const check of checks) {
    let passed = 1;
    for (const condition of check.conditions) {
      if (await holds(condition, view)) continue;
      passed = 0;
      break;
    }
    results.push(passed);
  }
  return results;
}
