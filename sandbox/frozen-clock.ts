/**
 * Makes a command's clock and chance its own: while one runs, `Date` stands still at a logical time in UTC and
 * `Math.random` is a seeded stream, so `date`, `ls -l`, `touch`, `$SECONDS`, `time`, `$RANDOM` or awk's `rand` answer
 * the same on every machine. The shell reads those globals, so they are exchanged around the command and given back
 * after it, one command at a time in a thread. Code that shares the thread meanwhile sees them too: production runs
 * terminals in threads of their own.
 */
/** Noon UTC: the same day in almost every time zone, should one slip through. */
const START_OF_TIME = Date.UTC(2024, 6, 15, 12);

/** Logical time that a command takes. */
const TICK_MS = 1000;

const HostDate = Date;
const hostRandom = Math.random.bind(Math);
let random = hostRandom;

/** Set once and for all: later the shell's defence may have locked Math. */
Math.random = () => random();

interface Moment {
  readonly now: number;
  readonly startedAt: number;
  readonly limitMs: number;
}

let moment: Moment = { now: START_OF_TIME, startedAt: 0, limitMs: 0 };

/**
 * Logical until the limit has really passed, then ahead by the time that really went by: the shell's own deadline
 * compares two readings of this clock, and is the one reader that must not be fooled.
 */
function frozenNow(): number {
  const elapsed = HostDate.now() - moment.startedAt;
  return elapsed > moment.limitMs ? moment.now + elapsed : moment.now;
}

/** Local time is UTC. An object made by it stays a Date for everyone. */
class FrozenDate extends HostDate {
  constructor(...parts: [] | [number | string | Date] | Parameters<DateConstructor['UTC']>) {
    if (parts.length === 0) super(frozenNow());
    else if (parts.length === 1) super(typeof parts[0] === 'string' ? utcOf(parts[0]) : parts[0]);
    else super(HostDate.UTC(...parts));
  }
  static override now(): number {
    return frozenNow();
  }
  override getFullYear(): number {
    return this.getUTCFullYear();
  }
  override getMonth(): number {
    return this.getUTCMonth();
  }
  override getDate(): number {
    return this.getUTCDate();
  }
  override getDay(): number {
    return this.getUTCDay();
  }
  override getHours(): number {
    return this.getUTCHours();
  }
  override getMinutes(): number {
    return this.getUTCMinutes();
  }
  override getSeconds(): number {
    return this.getUTCSeconds();
  }
  override getTimezoneOffset(): number {
    return 0;
  }
  override toString(): string {
    return this.toUTCString();
  }
}

/** A date text without a zone is local time by the language's rules: undo the host's zone. */
function utcOf(text: string): number {
  const date = new HostDate(text);
  const hasZone = /(?:z|[+-]\d\d:?\d\d|gmt|utc)\s*$/i.test(text) || /^\d{4}-\d\d-\d\d$/.test(text);
  return date.getTime() - (hasZone ? 0 : date.getTimezoneOffset() * 60_000);
}

/** Exchanges the globals for one synchronous or awaited piece of work; `tick` counts the terminal's commands. */
export async function withFrozenClock<T>(
  place: { readonly tick: number; readonly seed: number; readonly limitMs: number },
  work: () => Promise<T> | T,
): Promise<T> {
  const release = await acquire();
  moment = {
    now: START_OF_TIME + place.tick * TICK_MS,
    startedAt: HostDate.now(),
    limitMs: place.limitMs,
  };
  random = mulberry32(Math.imul(place.seed ^ place.tick, 0x9e3779b1));
  globalThis.Date = FrozenDate as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = HostDate;
    random = hostRandom;
    release();
  }
}

let tail: Promise<void> = Promise.resolve();

/** Waits for the thread's turn. */
async function acquire(): Promise<() => void> {
  const before = tail;
  let release = (): void => undefined;
  tail = new Promise((resolve) => {
    release = resolve;
  });
  await before;
  return release;
}

/** T. Ettinger's mulberry32: one word of state, good enough for $RANDOM, and cheap to seed for every command. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
