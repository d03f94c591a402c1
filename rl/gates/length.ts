// Gate 7 `length`: 1 command .. min(turnLimit, 2 x parent). Called by accept-rewrites.ts.
// Counts non-empty commands; `done` is none. Source: docs/formulas.md: ours.

import type { RewriteCandidate } from './candidate.ts';
import { normalizeCommands } from './normalize-commands.ts';

export interface LengthFinding {
  readonly commandCount: number;
  readonly commandLimit: number;
  readonly passes: boolean;
}

export function measureLength({ child, parent, turnLimit }: RewriteCandidate): LengthFinding {
  const commandCount = normalizeCommands(child.commands).length;
  const commandLimit = Math.min(turnLimit, 2 * normalizeCommands(parent.commands).length);
  return { commandCount, commandLimit, passes: commandCount >= 1 && commandCount <= commandLimit };
}
