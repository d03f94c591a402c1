/** Watches the embedded server and starts it again where it was when it ends unasked; its users know the address. */
import { isAlive, type Postmaster } from './processes.ts';

export interface KeptServer {
  /** The one that runs now. */
  server(): Postmaster;
  /** Ends the watch, after a start that is under way. */
  release(): Promise<void>;
}

const WATCH_MS = 1_000;

/** `start`: null when nobody wants it again. */
export function keepServer(
  first: Postmaster,
  start: (() => Promise<Postmaster>) | null,
  log: (line: string) => void,
): KeptServer {
  let server = first;
  let starting: Promise<void> | null = null;
  const again = async (open: () => Promise<Postmaster>): Promise<void> => {
    log('Database: the server has ended; starting it again');
    const next = await open();
    if (next.port !== server.port) log(`Database: its port is taken, it is ${next.port} now; start anew to use it`);
    server = next;
  };
  const timer = setInterval(() => {
    if (start === null || starting !== null || isAlive(server.pid)) return;
    starting = again(start)
      .catch((error: unknown) => log(error instanceof Error ? error.message : String(error)))
      .finally(() => (starting = null));
  }, WATCH_MS);
  timer.unref();
  return {
    server: () => server,
    release: async () => {
      clearInterval(timer);
      await starting;
    },
  };
}
