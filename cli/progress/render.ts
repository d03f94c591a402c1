/** Progress as text: a block of lines that is redrawn on a terminal, or one short line per stored record elsewhere. */
import { duration, percent } from '../../viewer/format.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import { elapsed, timeLeft, type ProgressState } from './state.ts';

const BAR = 24;

/** `held`: why nothing is being done. */
export function renderBlock(state: ProgressState, at: number, width: number, held: string | null = null): string[] {
  const lines = [
    whereabouts(state),
    held ?? workLine(state),
    [
      state.lastGroup === null
        ? 'last group: -'
        : `last group (${state.lastGroup.step}): strict ${percent(state.lastGroup.strict)}, partial mean ${percent(state.lastGroup.partial)}`,
      `loss ${state.loss === null ? '-' : state.loss.toFixed(4)}`,
    ].join(' · '),
    `${timeLine(state, at)}${state.step === '' ? '' : ` · stored last: ${state.step}`}`,
  ];
  return lines.map((line) => (line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line));
}

/** Null for events that do not deserve a line. */
export function renderLine(state: ProgressState, event: ProgressEvent, at: number): string | null {
  const time = duration(elapsed(state, at)).padStart(7);
  if (event.kind === 'note') return `${time}  ${event.text}`;
  if (event.kind === 'stage') return null;
  if (event.kind !== 'stored' || event.replayed) return null;
  const { place } = event;
  const name = place.step.startsWith('outcomes-') ? null : place.step;
  if (name === null) return null;
  const parts = [
    `${time}  ${whereabouts(state)} · ${name} ${place.iteration}.${place.group}`,
    detail(state, event.content),
  ];
  const left = timeLeft(state, at);
  return [...parts.filter((part) => part !== ''), `left ${left === null ? '?' : duration(left)}`].join(' · ');
}

function timeLine(state: ProgressState, at: number): string {
  const left = timeLeft(state, at);
  return `elapsed ${duration(elapsed(state, at))} · left ${left === null ? '?' : `about ${duration(left)}`}`;
}

function whereabouts({ config, generation, stage, stageIndex }: ProgressState): string {
  const inStages = stageIndex >= 0 && stageIndex < config.stages.length && generation > 0;
  const position = inStages ? ` (stage ${stageIndex + 1}/${config.stages.length})` : '';
  return `generation ${generation}/${config.generations} · ${stage}${position}`;
}

function workLine({ work }: ProgressState): string {
  if (work === null || work.of === 0) return 'working';
  const share = Math.min(1, work.done / work.of);
  const filled = Math.round(share * BAR);
  return `${work.what} ${work.done}/${work.of} ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${Math.round(share * 100)} %`;
}

function detail(state: ProgressState, content: unknown): string {
  if (typeof content !== 'object' || content === null) return '';
  const { summary, loss, metrics } = content as {
    summary?: { episodes: number; noVerdict: number; strict: number; partialMean: number };
    loss?: number | null;
    metrics?: { policyLoss: number | null; kl: number | null };
  };
  if (summary !== undefined) {
    const verified = summary.episodes - summary.noVerdict;
    const strict = verified === 0 ? null : summary.strict / verified;
    return `${summary.episodes} episodes, strict ${percent(strict)}, partial mean ${percent(verified === 0 ? null : summary.partialMean)}`;
  }
  const shown = metrics?.policyLoss ?? loss ?? (state.step === 'imitation' ? state.loss : null);
  return typeof shown === 'number' ? `loss ${shown.toFixed(4)}` : '';
}
