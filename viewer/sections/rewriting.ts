/** Self-rewrite: what became of the candidates of each round, and what accepted polishes saved. */
import { decimal, grouped, percent, signed } from '../format.ts';
import { html } from '../html.ts';
import type { Colour } from '../plot/frame.ts';
import { stackedBars } from '../plot/stacked-bars.ts';
import { GATE_ORDER, type RewriteReport } from '../report/rewrites.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, table, type Section } from './parts.ts';

const COLOURS: Readonly<Record<string, Colour>> = {
  accepted: 'strict',
  'parent-unverified': 'c12',
  'no-verdict': 'c6',
  'not-strict': 'c5',
  'verifier-changed': 'c10',
  'not-better': 'c8',
  duplicate: 'c7',
  length: 'c9',
  'touches-verifier': 'c4',
  'leaks-parent': 'c2',
  'per-task-cap': 'c11',
  'family-share': 'c1',
};

export function rewritingSection({ rewrites }: RunReport): Section {
  const known = new Set<string>(GATE_ORDER);
  const others = [...new Set(rewrites.flatMap(({ gates }) => Object.keys(gates)))].filter((gate) => !known.has(gate));
  const gates = [...GATE_ORDER, ...others];
  const met = gates.filter((gate) => gate === 'accepted' || rewrites.some((round) => (round.gates[gate] ?? 0) > 0));
  return section(
    'rewriting',
    'Self-rewrite',
    'Verified trajectories are rewritten with the parent in view, every rewrite is executed in a clean sandbox, and the ' +
      'gates are asked in order: the first that fails is counted.',
    html`<div class="grid">
      ${figure({
        title: 'Candidates by gate',
        wide: true,
        chart: stackedBars({
          title: 'Candidates of each rewriting round by the gate that stopped them',
          parts: gates.map((gate) => ({ name: gate, colour: COLOURS[gate] ?? 'c5' })),
          bars: rewrites.map((round) => ({ name: nameOf(round), values: gates.map((gate) => round.gates[gate] ?? 0) })),
          format: grouped,
        }),
      })}
    </div>`,
    table({
      head: ['round', 'parents', 'candidates', ...met],
      rows: rewrites.map((round) => [
        nameOf(round),
        round.parents,
        round.candidates,
        ...met.map((gate) => round.gates[gate] ?? 0),
      ]),
    }),
    html`<h3 style="margin-top:30px">Accepted rewrites and what they taught</h3>`,
    table({
      head: ['round', 'polish', 'repair', 'accepted', 'turns', 'tokens', 'failed commands', 'lessons', 'loss'],
      rows: rewrites.map((round) => {
        const accepted = round.polish + round.repair;
        return [
          nameOf(round),
          round.polish,
          round.repair,
          round.candidates === 0 ? '–' : percent(accepted / round.candidates),
          signed(round.turnDelta, 2),
          signed(round.tokenDelta, 2),
          signed(round.failedDelta, 2),
          round.lessons,
          decimal(round.loss, 4),
        ];
      }),
    }),
    html`<p class="soft" style="margin-top:8px">
      Turns, tokens and failed commands: mean difference of an accepted polish to its parent.
    </p>`,
  );
}

function nameOf({ generation, stageIndex }: RewriteReport): string {
  return `g${generation}, stage ${stageIndex + 1}`;
}
