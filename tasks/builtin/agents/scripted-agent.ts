/**
 * Agents without a model: they answer with the next command, `done` at the end, after seeing what the last one showed.
 * The sandbox's workers play them for demonstrations and for the self-validation of families.
 */
import type { ScriptKind } from '../../../contracts/sandbox.ts';
import type { Task } from '../../../contracts/task.ts';
import type { Observation } from '../sub-goals/sub-goal.ts';
import { idle } from './idle.ts';
import { oracle } from './oracle.ts';
import type { Script } from './script.ts';
import { sloppy } from './sloppy.ts';

export interface ScriptedAgent {
  /** `last` is null before the first command. After `done` it goes on answering `done`. */
  next(last: Observation | null): string;
}

export function createScriptedAgent(kind: ScriptKind, task: Task, seed: number): ScriptedAgent {
  const script = start(kind, task, seed);
  return {
    next(last) {
      // The first value handed to a generator is dropped by the language: nothing was shown yet.
      const { value } = script.next(last ?? { text: '', exitCode: 0 });
      return value ?? 'done';
    },
  };
}

function start(kind: ScriptKind, task: Task, seed: number): Script {
  switch (kind) {
    case 'oracle':
      return oracle(task);
    case 'idle':
      return idle();
    case 'sloppy':
      return sloppy(task, seed);
  }
}
