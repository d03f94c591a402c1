/**
 * The report as one self-contained HTML page: no script, nothing loaded from elsewhere, charts as inline SVG. Movement
 * first, then the headline, then what explains them, then what it takes to find everything again.
 */
import { strictShare } from '../training/rates.ts';
import { decimal, duration, percent, signed } from './format.ts';
import { html, raw, type Content, type Markup } from './html.ts';
import type { RunReport } from './run-report.ts';
import { addedTasksSection } from './sections/added-tasks.ts';
import { calibrationSection } from './sections/calibration.ts';
import { criticSection } from './sections/critic.ts';
import { generationsSection } from './sections/generations.ts';
import { headlineSection } from './sections/headline.ts';
import { learningSection } from './sections/learning.ts';
import { movementSection } from './sections/movement.ts';
import { configurationSection, lineageSection } from './sections/provenance.ts';
import { refinementSection } from './sections/refinement.ts';
import { rewritingSection } from './sections/rewriting.ts';
import { tasksSection } from './sections/tasks.ts';
import { timeSection } from './sections/time.ts';
import { trainingSection } from './sections/training.ts';
import { STYLE } from './style.ts';
import { endSentence } from './words.ts';

const SECTIONS = [
  movementSection,
  headlineSection,
  learningSection,
  generationsSection,
  tasksSection,
  addedTasksSection,
  trainingSection,
  rewritingSection,
  criticSection,
  refinementSection,
  calibrationSection,
  timeSection,
  configurationSection,
  lineageSection,
] as const;

export function htmlReport(report: RunReport): string {
  const sections = SECTIONS.flatMap((make) => make(report));
  const title = `Run ${report.run.preset}, seed ${report.run.seed}`;
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${raw(STYLE)}
      </style>
    </head>
    <body>
      <main>
        <header>
          <h1>${title}</h1>
          <p class="soft">${subtitle(report)}</p>
          ${facts(report)}
          <nav>${sections.map(({ id, title: name }) => html`<a href="#${id}">${name}</a>`)}</nav>
        </header>
        ${sections.map(({ body }) => body)}
        <footer>terminal-rsi · content head ${report.run.contentHead}</footer>
      </main>
    </body>
  </html>`;
  return `<!doctype html>\n${page.text}\n`;
}

function subtitle({ end, time, run }: RunReport): string {
  const promoted =
    end.promotedGeneration === 0 ? 'No generation was promoted' : `Generation ${end.promotedGeneration} is promoted`;
  const backend = run.backend === null ? '' : ` on ${run.backend.name} (${run.backend.library} ${run.backend.version})`;
  return `${promoted}; ended because ${endSentence(end)}. ${duration(time.total)} of work${backend}.`;
}

function facts({ headlines, movement, evaluations, end }: RunReport): Markup {
  const greedy = headlines.find(({ set }) => set === 'held-out-greedy');
  const unseen = headlines.find(({ set }) => set === 'composition-greedy');
  const last = evaluations.find(({ generation }) => generation === end.promotedGeneration);
  const change = (before: number | null, after: number | null): string =>
    `${percent(before, 0)} → ${percent(after, 0)}`;
  const fact = (value: Content, name: string): Markup =>
    html`<div class="fact"><b>${value}</b><span>${name}</span></div>`;
  return html`<div class="facts">
    ${greedy ? fact(change(strictShare(greedy.before), strictShare(greedy.after)), 'strict, held-out, greedy') : null}
    ${unseen ? fact(change(strictShare(unseen.before), strictShare(unseen.after)), 'strict, unseen composition, greedy') : null}
    ${fact(signed(movement.total.net), `net of ${greedy?.after.n ?? 0} held-out tasks`)}
    ${fact(decimal(last?.sets['held-out-greedy'].rates.turns ?? null, 1), 'turns per task at the end')}
  </div>`;
}
