/**
 * `time` measures with a clock of its own that frozen-clock.ts cannot reach, so pipelines lose their timing before
 * they run: the command runs, nothing is measured.
 */
import type { ScriptNode, TransformPlugin } from 'just-bash';

export const untimed: TransformPlugin = {
  name: 'untimed',
  transform({ ast }) {
    return { ast: withoutTiming(ast) as ScriptNode };
  },
};

function withoutTiming(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutTiming);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => key !== 'timed');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutTiming(value)]));
}
