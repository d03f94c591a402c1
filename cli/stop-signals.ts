/** Ctrl-C: the first ends the run at its next step, with everything finished stored; the second ends it at once. */
import { EXIT } from './exit.ts';

export interface StopSignals {
  readonly signal: AbortSignal;
  dispose(): void;
}

export function listenForStop(say: (line: string) => void): StopSignals {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    say('stopping at the next step; Ctrl-C again stops at once');
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    dispose: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
