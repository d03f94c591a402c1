/** First of all: how tasks moved between none, partial and strict. */
import { TASK_STATES, type TaskState } from '../../rl/movement-table.ts';
import { pValue, signed } from '../format.ts';
import { element, html, type Markup } from '../html.ts';
import type { Movement } from '../report/movements.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { section, table, type Section } from './parts.ts';

export function movementSection({ movement }: RunReport): Section {
  const { perGeneration, total } = movement;
  const several = perGeneration.length > 1 ? perGeneration : [];
  const lead =
    'Each held-out task under greedy decoding, before (rows) and after (columns). Strict: every check holds and the ' +
    'agent said it is done. None: no check holds. Net gain with the exact two-sided McNemar p.';
  return section(
    'movement',
    'Movement',
    lead,
    html`<div class="moves">
      <div>
        <h3>${title(total)}<span class="tag">start to end</span></h3>
        ${matrix(total)}${verdict(total)}
      </div>
      <div class="several">
        ${several.map(
          (one) =>
            html`<div>
              <h3>${title(one)}${status(one)}</h3>
              ${matrix(one)}${verdict(one)}
            </div>`,
        )}
      </div>
    </div>`,
    html`<details>
      <summary>Numbers</summary>
      ${numbers([...perGeneration, total])}
    </details>`,
  );
}

function title({ from, to }: Movement): string {
  return `${capital(generationName(from))} → ${generationName(to)}`;
}

function status({ promoted }: Movement): Markup | null {
  return promoted ? null : html`<span class="tag">not promoted</span>`;
}

function matrix(movement: Movement): Markup {
  const { counts } = movement;
  const all = TASK_STATES.flatMap((before) => TASK_STATES.map((after) => counts[before][after]));
  const total = Math.max(
    1,
    all.reduce((sum, count) => sum + count, 0),
  );
  return html`<table class="matrix" aria-label="${title(movement)}">
    <thead>
      <tr>
        <td style="background:none;height:auto;width:auto"></td>
        ${TASK_STATES.map((after) => html`<th scope="col">${after}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${TASK_STATES.map(
        (before) =>
          html`<tr>
            <th scope="row">${before}</th>
            ${TASK_STATES.map((after) => cell(before, after, counts[before][after], total))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Green where a task came nearer to strict, red where it fell back; the stronger, the more tasks. */
function cell(before: TaskState, after: TaskState, count: number, total: number): Markup {
  const step = TASK_STATES.indexOf(after) - TASK_STATES.indexOf(before);
  const strength = count === 0 ? 0 : 0.12 + 0.5 * Math.sqrt(count / total);
  const colour = step === 0 ? null : `background:rgba(var(--${step > 0 ? 'good' : 'bad'}),${strength.toFixed(2)})`;
  const style = count === 0 ? 'color:var(--soft)' : colour;
  return element('td', { style, title: `${count} tasks: ${before} → ${after}` }, String(count));
}

function verdict({ gained, lost, net, p, noVerdict }: Movement): Markup {
  const missing = noVerdict > 0 ? `, ${noVerdict} without verdict` : '';
  return html`<p class="verdict">
    gained ${gained}, lost ${lost}, net <b>${signed(net)}</b>, p ${pValue(p)}${missing}
  </p>`;
}

function numbers(movements: readonly Movement[]): Markup {
  return table({
    head: [
      'transition',
      ...TASK_STATES.flatMap((a) => TASK_STATES.map((b) => `${a}→${b}`)),
      'gained',
      'lost',
      'net',
      'p',
      'no verdict',
    ],
    rows: movements.map((one) => [
      title(one),
      ...TASK_STATES.flatMap((a) => TASK_STATES.map((b) => one.counts[a][b])),
      one.gained,
      one.lost,
      signed(one.net),
      pValue(one.p),
      one.noVerdict,
    ]),
    strong: (row) => row === movements.length - 1,
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
