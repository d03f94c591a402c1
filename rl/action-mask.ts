// Selecting by action mask: the one place that turns "1 = sampled by the policy" into positions.
// Called by gae.ts, whiten.ts, ppo.ts and by training code that packs action tokens.
// Masked positions are selected away, never multiplied: they may hold NaN, and NaN * 0 is NaN
// (docs/formulas.md: ours).

/** A vector of plain numbers or a typed array, `[T]` = one entry per token. */
export type Vector = ArrayLike<number>;

/** Positions of the action tokens, ascending. */
export function actionPositions(actionMask: Vector): number[] {
  const positions: number[] = [];
  for (let t = 0; t < actionMask.length; t++) {
    const m = actionMask[t];
    if (m === 1) positions.push(t);
    else if (m !== 0) throw new RangeError(`actionMask: got ${m} at token ${t}; need 0 or 1`);
  }
  return positions;
}

/** `values` at `positions`; `[T]` -> `[N]`. */
export function selectPositions(values: Vector, positions: readonly number[]): Float64Array {
  return Float64Array.from(positions, (t) => at(values, t, 'selectPositions'));
}

/** The inverse: a `[length]` array that holds `selected` at `positions` and 0 elsewhere. */
export function scatterPositions(selected: Vector, positions: readonly number[], length: number): Float64Array {
  const out = new Float64Array(length);
  positions.forEach((t, i) => {
    out[t] = at(selected, i, 'scatterPositions');
  });
  return out;
}

/** Element `i`, or an error that names the array; what `noUncheckedIndexedAccess` asks for. */
export function at(values: Vector, i: number, what: string): number {
  const v = values[i];
  if (v === undefined) throw new RangeError(`${what}: got length ${values.length}; need an entry at ${i}`);
  return v;
}

/** Throws unless all named arrays have the length of the first. */
export function requireSameLength(what: string, arrays: Readonly<Record<string, Vector>>): void {
  const entries = Object.entries(arrays);
  const length = entries[0]?.[1].length ?? 0;
  if (entries.some(([, a]) => a.length !== length)) {
    const got = entries.map(([name, a]) => `${name} ${a.length}`).join(', ');
    throw new RangeError(`${what}: got lengths ${got}; need equal lengths`);
  }
}
