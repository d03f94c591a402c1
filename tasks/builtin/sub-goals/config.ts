/** `set K to V in F`: F has two `K=V` lines; one gets the asked value, the other stays as it was. */
import { drawConfigFile, replaceValue } from './config-file.ts';
import { slot, type SubGoalKind } from './sub-goal.ts';

export const config: SubGoalKind = {
  kind: 'config',
  arguments: { key: 'key', value: 'number', file: 'word' },
  draw(draw, workdir) {
    const key = draw.key();
    const value = draw.number();
    const file = draw.word('config.file');
    const { before, after } = drawConfigFile(draw, `${workdir}/${file}`, key, value);
    return {
      slots: { key, value, file },
      instruction: `set ${key} to ${value} in ${file}`,
      files: [before],
      directories: [],
      conditions: [after],
    };
  },
  solve: (slots) => [replaceValue(slot(slots, 'key'), slot(slots, 'value'), slot(slots, 'file'))],
};
