/**
 * The heartbeat of an activity that computes elsewhere: beats while progress comes, falls silent when none came for too
 * long, so that work that hangs is given up by the server like work whose machine is gone.
 */

export interface Heart {
  /** The last one goes along with each beat. */
  progress(details: unknown): void;
  stop(): void;
}

export interface HeartOptions {
  readonly timeoutMs: number;
  readonly beat: (details: unknown) => void;
  /** Called once, when the heart stops for lack of progress. */
  readonly onStall: () => void;
  /** Without progress for so long, the work counts as hung. */
  readonly stallMs?: number;
}

/** The longest honest silence: sampling one large batch on a slow machine. */
const STALL_MS = 10 * 60_000;
/** Cancellation comes with the answer to a beat, and people watch: no slower than this. */
const MOST_MS = 2_000;

export function startHeart({ timeoutMs, beat, onStall, stallMs = STALL_MS }: HeartOptions): Heart {
  let last: unknown = null;
  let at = performance.now();
  const timer = setInterval(
    () => {
      if (performance.now() - at <= stallMs) return beat(last);
      clearInterval(timer);
      onStall();
    },
    Math.min(MOST_MS, timeoutMs / 3),
  );
  beat(last);
  return {
    progress: (details) => {
      last = details;
      at = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}
