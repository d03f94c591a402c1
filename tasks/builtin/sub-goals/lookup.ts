/**
 * `fetch F as K in G`: K in the configuration file G gets the number that stands in F. The number is in no instruction:
 * F must be read before G can be changed.
 */
import { NUMBERS } from '../vocabulary.ts';
import { drawConfigFile, replaceValue } from './config-file.ts';
import { DEFAULT_FILE_MODE, slot, type SubGoalKind } from './sub-goal.ts';

const GUESS_RATE = 0.25;

export const lookup: SubGoalKind = {
  kind: 'lookup',
  arguments: { source: 'word', key: 'key', target: 'word' },
  draw(draw, workdir) {
    const source = draw.word('lookup.source');
    const key = draw.key();
    const target = draw.word('lookup.target');
    const value = draw.number();
    const { before, after } = drawConfigFile(draw, `${workdir}/${target}`, key, value);
    return {
      slots: { source, key, target, value },
      instruction: `fetch ${source} as ${key} in ${target}`,
      files: [{ path: `${workdir}/${source}`, content: `${value}\n`, mode: DEFAULT_FILE_MODE }, before],
      directories: [],
      conditions: [after],
    };
  },
  solve: (slots) => [
    `cat ${slot(slots, 'source')}`,
    (last) => replaceValue(slot(slots, 'key'), numberIn(last?.text ?? ''), slot(slots, 'target')),
  ],
  hasty: {
    rate: GUESS_RATE,
    steps: (slots, random) => [replaceValue(slot(slots, 'key'), random.pick(NUMBERS), slot(slots, 'target'))],
  },
};

/** The number an observation shows; a wrong file may show none, then any number has to do. */
function numberIn(text: string): string {
  return /^\d\d$/m.exec(text)?.[0] ?? NUMBERS[0];
}
