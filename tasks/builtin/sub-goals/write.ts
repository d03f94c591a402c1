/** `write W to F`: a new file F holds the word W. */
import { slot, type SubGoalKind } from './sub-goal.ts';

export const write: SubGoalKind = {
  kind: 'write',
  arguments: { text: 'word', file: 'word' },
  draw(draw, workdir) {
    const text = draw.word('write.text');
    const file = draw.word('write.file');
    return {
      slots: { text, file },
      instruction: `write ${text} to ${file}`,
      files: [],
      directories: [],
      conditions: [{ kind: 'content-equals', path: `${workdir}/${file}`, content: `${text}\n` }],
    };
  },
  solve: (slots) => [`echo ${slot(slots, 'text')} > ${slot(slots, 'file')}`],
};
