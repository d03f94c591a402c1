/** `mode M for F`: F has exactly the permission bits M; it starts with others. */
import { MODES } from '../vocabulary.ts';
import { slot, type SubGoalKind } from './sub-goal.ts';

export const perm: SubGoalKind = {
  kind: 'perm',
  arguments: { mode: 'mode', file: 'word' },
  draw(draw, workdir) {
    const mode = draw.mode();
    const file = draw.word('perm.file');
    const path = `${workdir}/${file}`;
    const before = draw.random.pick(MODES.filter((other) => other !== mode));
    return {
      slots: { mode, file },
      instruction: `mode ${mode} for ${file}`,
      files: [{ path, content: `${draw.line()}\n`, mode: Number.parseInt(before, 8) }],
      directories: [],
      conditions: [{ kind: 'mode-equals', path, mode: Number.parseInt(mode, 8) }],
    };
  },
  solve: (slots) => [`chmod ${slot(slots, 'mode')} ${slot(slots, 'file')}`],
};
