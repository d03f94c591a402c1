/** Watches a server that was started here and starts it again when it ends unasked. */
const WATCH_MS = 1_000;

export interface Kept {
  readonly isAlive: () => boolean;
  readonly restart: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** Returns how to end the watch: after a restart that is under way. */
export function keepAlive({ isAlive, restart, log }: Kept): () => Promise<void> {
  let restarting: Promise<void> | null = null;
  const timer = setInterval(() => {
    if (restarting !== null || isAlive()) return;
    restarting = restart()
      .catch((error: unknown) => log(error instanceof Error ? error.message : String(error)))
      .finally(() => (restarting = null));
  }, WATCH_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await restarting;
  };
}
