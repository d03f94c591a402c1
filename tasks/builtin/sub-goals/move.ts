/** `rename A to B`: A is gone and B holds what A held. */
import { DEFAULT_FILE_MODE, slot, type SubGoalKind } from './sub-goal.ts';

export const move: SubGoalKind = {
  kind: 'move',
  arguments: { from: 'word', to: 'word' },
  draw(draw, workdir) {
    const from = draw.word('move.from');
    const to = draw.word('move.to');
    const content = `${draw.line()}\n`;
    return {
      slots: { from, to },
      instruction: `rename ${from} to ${to}`,
      files: [{ path: `${workdir}/${from}`, content, mode: DEFAULT_FILE_MODE }],
      directories: [],
      conditions: [
        { kind: 'absent', path: `${workdir}/${from}` },
        { kind: 'content-equals', path: `${workdir}/${to}`, content },
      ],
    };
  },
  solve: (slots) => [`mv ${slot(slots, 'from')} ${slot(slots, 'to')}`],
};
