/** Ctrl-C: the first ends the run at its next step, with everything finished stored; the second ends it at once. */
export interface StopSignals {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm and tsx pass on the very signal that the terminal has sent to all of them: such an echo is no second Ctrl-C. */
const ECHO_MS = 700;

/** Exit code of what Ctrl-C has ended: 128 + SIGINT. */
export const INTERRUPTED = 130;

export function listenForStop(say: (line: string) => void): StopSignals {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - first > ECHO_MS) process.exit(INTERRUPTED);
      return;
    }
    first = performance.now();
    controller.abort();
    say('stopping at the next step; Ctrl-C again stops at once');
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    dispose: () => SIGNALS.forEach((name) => void process.off(name, onSignal)),
  };
}
