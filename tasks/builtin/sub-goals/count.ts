/** `count F into G`: a new file G holds the number of F's lines. */
import { DEFAULT_FILE_MODE, slot, type SubGoalKind } from './sub-goal.ts';

const MIN_LINES = 2;
const MAX_LINES = 6;

export const count: SubGoalKind = {
  kind: 'count',
  arguments: { source: 'word', target: 'word' },
  draw(draw, workdir) {
    const source = draw.word('count.source');
    const target = draw.word('count.target');
    const lines = Array.from({ length: MIN_LINES + draw.random.int(MAX_LINES - MIN_LINES + 1) }, () => draw.line());
    return {
      slots: { source, target },
      instruction: `count ${source} into ${target}`,
      files: [{ path: `${workdir}/${source}`, content: `${lines.join('\n')}\n`, mode: DEFAULT_FILE_MODE }],
      directories: [],
      conditions: [{ kind: 'content-equals', path: `${workdir}/${target}`, content: `${lines.length}\n` }],
    };
  },
  solve: (slots) => [`wc -l < ${slot(slots, 'source')} > ${slot(slots, 'target')}`],
};
