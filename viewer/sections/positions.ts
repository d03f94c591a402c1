/** Positions on an axis that counts batches: where a generation begins, which ranges are policy-refine. */
interface Placed {
  readonly generation: number;
  readonly stageIndex: number;
  readonly stage?: string;
}

export interface Band {
  readonly from: number;
  readonly to: number;
}

/** One tick where a generation begins. */
export function ticksOf(points: readonly Placed[]): { x: number; label: string }[] {
  return points.flatMap(({ generation }, x) =>
    generation === points[x - 1]?.generation ? [] : [{ x, label: generation === 0 ? 'start' : `g${generation}` }],
  );
}

/** One band for each run of neighbouring points of a policy-refine stage. */
export function bandsOf(points: readonly Placed[]): Band[] {
  const bands: Band[] = [];
  for (const [x, point] of points.entries()) {
    if (point.stage !== 'policy-refine') continue;
    const before = points[x - 1];
    const goesOn =
      before?.stage === point.stage && before.generation === point.generation && before.stageIndex === point.stageIndex;
    const last = bands.at(-1);
    if (goesOn && last !== undefined) bands[bands.length - 1] = { ...last, to: x + 0.5 };
    else bands.push({ from: x - 0.5, to: x + 0.5 });
  }
  // The axis always has room on both sides, banded or not.
  return [...bands, { from: -0.5, to: -0.5 }, { from: points.length - 0.5, to: points.length - 0.5 }];
}
