/** The figure of a study: differences to the base in strict success, seed by seed, as a picture that stands by itself. */
import { forestChart } from '../viewer/plot/forest-chart.ts';
import { standAlone } from '../viewer/plot/stand-alone.ts';
import { effectsOf, strictRate } from './effects.ts';
import type { AblationRow } from './row.ts';

export function studyFigure(rows: readonly AblationRow[]): string {
  return standAlone(
    forestChart({
      title: 'Strict success on held-out tasks, sampled: difference to the base',
      xLabel: 'points of a hundred; rings: seeds, whisker: 95 % t interval; blue: all seeds agree and it excludes 0',
      rows: effectsOf(rows, strictRate('held-out')).flatMap(({ variant, differences, effect }) => {
        if (differences === null || effect === null) return [];
        const { mean, halfWidth, named } = effect;
        return {
          ...{ name: variant, named, dots: differences.map(({ difference }) => difference * 100) },
          ...{ mean: mean === null ? null : mean * 100, halfWidth: halfWidth === null ? null : halfWidth * 100 },
        };
      }),
    }),
  );
}
