/** Configuration files of two `K=V` lines, shared by config and lookup, and the command that changes one line. */
import type { Condition, TaskFile } from '../../../contracts/task.ts';
import type { SlotDraw } from '../slot-draw.ts';
import { DEFAULT_FILE_MODE } from './sub-goal.ts';

export const replaceValue = (key: string, value: string, file: string): string =>
  `sed -i s/^${key}=.*/${key}=${value}/ ${file}`;

/** The file as it is found, and as it must be: `key` at `value`, the other line untouched, either line first. */
export function drawConfigFile(
  draw: SlotDraw,
  path: string,
  key: string,
  value: string,
): { before: TaskFile; after: Condition } {
  const otherLine = `${draw.key()}=${draw.number()}\n`;
  const oldValue = draw.number();
  const keyFirst = draw.random.int(2) === 0;
  const lines = (current: string): string =>
    keyFirst ? `${key}=${current}\n${otherLine}` : `${otherLine}${key}=${current}\n`;
  return {
    before: { path, content: lines(oldValue), mode: DEFAULT_FILE_MODE },
    after: { kind: 'content-equals', path, content: lines(value) },
  };
}
