/** Shows progress while a run goes on: redraws one block on a terminal, prints lines into a pipe or file. */
import type { RunConfig } from '../../contracts/config/run-config.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import { renderBlock, renderLine } from './render.ts';
import { progressState, startProgress, type ProgressState } from './state.ts';

export interface ProgressView {
  report(event: ProgressEvent): void;
  /** A line above the block. */
  say(line: string): void;
  /** Why nothing is being done; the clock stands until null is told. */
  hold(why: string | null): void;
  close(): void;
}

export type Output = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

const REDRAW_MS = 100;
const TICK_MS = 1000;

/** `before`: seconds of former sessions. */
export function openProgressView(config: RunConfig, before: number, output: Output = process.stdout): ProgressView {
  const opened = performance.now();
  let held: { readonly why: string; readonly since: number } | null = null;
  let stood = 0;
  const at = (): number => ((held?.since ?? performance.now()) - opened - stood) / 1000;
  let state: ProgressState = startProgress(config, before);
  let drawn = 0;
  let isClosed = false;
  let lastDraw = -Infinity;
  const isTerminal = output.isTTY === true;

  const erase = (): void => {
    if (drawn > 0) output.write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = (force: boolean): void => {
    if (!isTerminal || isClosed || (!force && performance.now() - lastDraw < REDRAW_MS)) return;
    const lines = renderBlock(state, at(), widthOf(output), held?.why ?? null);
    erase();
    output.write(`${lines.join('\n')}\n`);
    drawn = lines.length;
    lastDraw = performance.now();
  };
  const say = (line: string): void => {
    erase();
    output.write(`${line}\n`);
    draw(true);
  };
  const ticks = isTerminal ? setInterval(() => draw(true), TICK_MS) : null;
  ticks?.unref();
  return {
    report: (event) => {
      const goesOn = event.kind === 'stored' && !event.replayed && state.stored === 0 && state.replayed > 0;
      state = progressState(state, event, at());
      if (goesOn) say(`went over ${state.replayed} stored records; working on from there`);
      const line = isTerminal && event.kind !== 'note' ? null : renderLine(state, event, at());
      if (line !== null) say(line);
      else draw(event.kind === 'stage');
    },
    say,
    hold: (why) => {
      if (why === (held?.why ?? null)) return;
      const now = performance.now();
      if (why === null && held !== null) stood += now - held.since;
      held = why === null ? null : { why, since: held?.since ?? now };
      if (!isTerminal) say(why ?? 'going on');
      else draw(true);
    },
    close: () => {
      if (ticks !== null) clearInterval(ticks);
      isClosed = true;
      erase();
    },
  };
}

/** A terminal that does not know its size says 0. */
function widthOf({ columns }: Output): number {
  return (columns || 80) - 1;
}
