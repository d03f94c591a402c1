/**
 * The learning curve: strict and partial rate, tokens per turn and the critic's explained variance over the stages of a
 * whole run, with the evaluations at the ends of its generations. Of several runs (seeds) a thin line each.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Markup } from '../html.ts';
import type { Colour, LegendEntry } from '../plot/frame.ts';
import { isMeasured, type Point } from '../plot/marks.ts';
import { panelChart, type Panel, type PanelSeries } from '../plot/panel-chart.ts';
import { batchesOf, curvePoints, type CurvePoints, type CurveSource } from './curve-points.ts';
import { stageAxis, type Slot } from './stage-axis.ts';

/** One for each run; a fifth begins anew. */
const DASHES = [null, '6 3', '1.5 2.5', '8 3 1.5 3'] as const;
/** Between the rings of two runs. */
const APART = 7;

export function learningCurve(runs: readonly CurveSource[]): Markup {
  const [first] = runs;
  if (first === undefined) throw new Failure('config', 'a learning curve needs a run');
  const { stages } = first.config;
  if (runs.some(({ config }) => config.stages.join() !== stages.join())) {
    throw new Failure('config', 'the runs have different stages: they have no axis in common');
  }
  const slots = stageAxis(stages, Math.max(0, ...runs.flatMap(({ evaluations }) => evaluations.map(({ generation }) => generation)))); // prettier-ignore
  const room = slots.map((slot) => Math.max(1, ...runs.map(({ training }) => batchesOf(training, slot).length)));
  const curves = runs.map((run) => curvePoints(run, slots, room));
  return panelChart({
    title: 'Learning curve',
    ranges: slots.map((slot) => ({ ...slot, shaded: slot.kind === 'policy-refine' })),
    groups: groupsOf(slots, runs),
    panels: panelsOf(curves),
    keys: runs.length === 1 ? [] : runs.map(({ run }, i) => ({ name: `seed ${run.seed}`, colour: 'c5', ...dashOf(i) })),
  });
}

function panelsOf(curves: readonly CurvePoints[]): Panel[] {
  const thin = curves.length > 1;
  const lines = (colour: Colour, points: (curve: CurvePoints) => readonly Point[]): PanelSeries[] =>
    curves.map((curve, i) => ({ mark: 'line', colour, points: points(curve), thin, ...dashOf(i) }));
  const rings = (colour: Colour, points: (curve: CurvePoints) => readonly Point[]): PanelSeries[] =>
    curves.map((curve, i) => {
      const shift = (i - (curves.length - 1) / 2) * APART;
      // Whiskers of several runs beside each other would hide the lines.
      const shown = points(curve).map(({ x, y, title = '', ...interval }) => ({ x, y, title, ...(thin ? {} : interval) })); // prettier-ignore
      return { mark: 'ring', colour, points: shown, thin, shift };
    });
  const evaluated: LegendEntry = { name: 'held-out tasks, sampled', colour: 'c5', mark: 'ring' };
  const tokens = [
    ...lines('c4', ({ tokensPerTurn }) => tokensPerTurn),
    ...rings('c4', ({ heldOut }) => heldOut.tokensPerTurn),
  ];
  return [
    {
      ...{ title: 'Success', height: 210, unit: 'share' },
      keys: [{ name: 'strict', colour: 'strict' }, { name: 'partial mean', colour: 'partial' }, evaluated],
      series: [
        ...lines('partial', ({ partial }) => partial),
        ...lines('strict', ({ strict }) => strict),
        ...rings('partial', ({ heldOut }) => heldOut.partial),
        ...rings('strict', ({ heldOut }) => heldOut.strict),
      ],
    },
    {
      ...{ title: 'Tokens per turn', height: 105, keys: [], series: tokens },
      include: roomAround(tokens),
    },
    {
      ...{ title: 'Explained variance of the critic', height: 105, include: [0, 1] },
      keys: [{ name: 'as handed over, before re-calibration', colour: 'c1', mark: 'ring' }],
      series: [
        ...lines('c1', ({ explainedVariance }) => explainedVariance),
        ...rings('c1', ({ beforeHandoff }) => beforeHandoff).map((one) => ({ ...one, thin: true })),
      ],
    },
  ];
}

/** A tenth on both sides, so that noise is not drawn as large as the panel. */
function roomAround(series: readonly PanelSeries[]): number[] {
  const values = series.flatMap(({ points }) => points.filter(isMeasured).map(({ y }) => y));
  return values.length === 0 ? [] : [Math.min(...values) * 0.9, Math.max(...values) * 1.1];
}

/** What precedes the first generation, then one group for each. */
function groupsOf(slots: readonly Slot[], runs: readonly CurveSource[]) {
  const generations = [...new Set(slots.map(({ generation }) => generation))];
  return generations.map((generation) => {
    const own = slots.filter((slot) => slot.generation === generation);
    const names = generation === 0 ? ['start'] : [`generation ${generation}`, `g${generation}`];
    const back = rolledBack(runs, generation);
    return {
      ...{ from: own[0]?.from ?? 0, to: own.at(-1)?.to ?? 0 },
      names: back === null ? names : [`generation ${generation}, ${back}`, `g${generation}, ${back}`, ...names],
    };
  });
}

function rolledBack(runs: readonly CurveSource[], generation: number): string | null {
  const seeds = runs.flatMap(({ run, evaluations }) =>
    evaluations.some((one) => one.generation === generation && one.promoted === false) ? [run.seed] : [],
  );
  if (seeds.length === 0) return null;
  return runs.length === 1 ? 'rolled back' : `rolled back: seed ${seeds.join(', ')}`;
}

function dashOf(run: number): { readonly dash?: string } {
  const dash = DASHES[run % DASHES.length] ?? null;
  return dash === null ? {} : { dash };
}
