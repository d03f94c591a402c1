/**
 * Which turns of a parent and of its rewrite belong side by side: the longest common subsequence of their commands; what
 * lies between two common commands stands opposite in order. So a detour that was left out shows as a gap, not as a shift.
 */
export interface TurnPair {
  /** Index from 0; null where the other one has a turn that this one has not. */
  readonly left: number | null;
  readonly right: number | null;
  readonly same: boolean;
}

export function alignTurns(left: readonly string[], right: readonly string[]): TurnPair[] {
  const pairs: TurnPair[] = [];
  let [i, j] = [0, 0];
  for (const [nextLeft, nextRight] of [...commonTurns(left, right), [left.length, right.length] as const]) {
    for (; i < nextLeft || j < nextRight;) {
      pairs.push({ left: i < nextLeft ? i++ : null, right: j < nextRight ? j++ : null, same: false });
    }
    if (i < left.length && j < right.length) pairs.push({ left: i++, right: j++, same: true });
  }
  return pairs;
}

/** Index pairs of equal commands, ascending. Episodes have some ten turns: quadratic is nothing. */
function commonTurns(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  const longest = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const row = longest[i] as number[];
      row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const common: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) common.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return common;
}
