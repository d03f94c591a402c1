/** Waits for something unless told to give up. For waits alone: what was begun goes on, and whoever began it ends it. */
export function orAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waiting;
  const aborted = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(signal.reason as Error);
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  return Promise.race([waiting, aborted]);
}
