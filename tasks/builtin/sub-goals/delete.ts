/** `remove all .tmp`: none of the .tmp files is left. It names no file, so no argument of it can be wrong. */
import { DEFAULT_FILE_MODE, type SubGoalKind } from './sub-goal.ts';

const FILES = 2;

export const deleteTemporary: SubGoalKind = {
  kind: 'delete',
  unnamed: true,
  arguments: {},
  draw(draw, workdir) {
    const paths = Array.from({ length: FILES }, () => `${workdir}/${draw.word(null)}.tmp`);
    return {
      slots: {},
      instruction: 'remove all .tmp',
      files: paths.map((path) => ({ path, content: `${draw.line()}\n`, mode: DEFAULT_FILE_MODE })),
      directories: [],
      conditions: paths.map((path) => ({ kind: 'absent', path })),
    };
  },
  solve: () => ['rm *.tmp'],
};
