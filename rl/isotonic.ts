// Weighted isotonic regression by pooling adjacent violators (PAV). Called by calibration.ts.
// Minimises sum w_i (f_i - y_i)^2 over f_1 <= f_2 <= ... (docs/formulas.md: ours; Ayer et al. 1955).

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { requireFinite, requirePositive } from './checks.ts';

interface Block {
  readonly mean: number;
  readonly weight: number;
  readonly count: number;
}

/** The fitted non-decreasing values, `[N]`; `y` in the order of the regressor, weights > 0. */
export function isotonicRegression(y: Vector, weights: Vector): Float64Array {
  requireSameLength('isotonicRegression', { y, weights });
  const blocks: Block[] = [];
  for (let i = 0; i < y.length; i++) {
    let block: Block = {
      mean: requireFinite('isotonicRegression: y', at(y, i, 'isotonicRegression'), i),
      weight: requirePositive(`isotonicRegression: weight ${i}`, at(weights, i, 'isotonicRegression')),
      count: 1,
    };
    // A block above its right neighbour is merged with it, then compared with the one before.
    for (let last = blocks.at(-1); last !== undefined && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop();
      block = merge(last, block);
    }
    blocks.push(block);
  }
  const fitted = new Float64Array(y.length);
  let start = 0;
  for (const block of blocks) {
    fitted.fill(block.mean, start, start + block.count);
    start += block.count;
  }
  return fitted;
}

function merge(a: Block, b: Block): Block {
  const weight = a.weight + b.weight;
  return { mean: (a.weight * a.mean + b.weight * b.mean) / weight, weight, count: a.count + b.count };
}
