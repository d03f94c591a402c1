/** Seconds in which at least one piece of work was under way: what goes on beside another counts once. */
export interface BusyClock {
  begin(): void;
  end(): void;
  /** Seconds since it was last asked: each is told once, those of work that still goes on too. */
  take(): number;
}

/** `now` in milliseconds. */
export function openBusyClock(now: () => number = () => performance.now()): BusyClock {
  let open = 0;
  let since = now();
  let spent = 0;
  const settle = (): void => {
    const at = now();
    if (open > 0) spent += at - since;
    since = at;
  };
  return {
    begin: () => {
      settle();
      open += 1;
    },
    end: () => {
      settle();
      open -= 1;
    },
    take: () => {
      settle();
      const taken = spent / 1000;
      spent = 0;
      return taken;
    },
  };
}
