/**
 * `write W to D/F`: like write, inside a directory that is often missing. The instruction does not say whether it is:
 * the terminal's answer does, so a solution may need a repair.
 */
import { slot, type Slots, type SubGoalKind } from './sub-goal.ts';

const MISSING_RATE = 0.6;

const makeDirectory = (slots: Slots): string => `mkdir ${slot(slots, 'directory')}`;
const writeInside = (slots: Slots): string =>
  `echo ${slot(slots, 'text')} > ${slot(slots, 'directory')}/${slot(slots, 'file')}`;

export const place: SubGoalKind = {
  kind: 'place',
  arguments: { text: 'word', directory: 'directory', file: 'word' },
  draw(draw, workdir) {
    const text = draw.word('place.text');
    const directory = draw.directory();
    const file = draw.word('place.file');
    const missing = draw.random.uniform() < MISSING_RATE;
    return {
      slots: { text, directory, file },
      instruction: `write ${text} to ${directory}/${file}`,
      files: [],
      directories: missing ? [] : [`${workdir}/${directory}`],
      conditions: [{ kind: 'content-equals', path: `${workdir}/${directory}/${file}`, content: `${text}\n` }],
    };
  },
  solve: (slots, workdir, directories) =>
    directories.includes(`${workdir}/${slot(slots, 'directory')}`)
      ? [writeInside(slots)]
      : [makeDirectory(slots), writeInside(slots)],
  hasty: {
    rate: 1,
    steps: (slots) => [writeInside(slots)],
    repair: (slots) => [makeDirectory(slots), writeInside(slots)],
  },
};
