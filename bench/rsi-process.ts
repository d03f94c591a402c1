/** The command line as a process of its own in a home of its own, timed; its stack is stopped whatever happens. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

interface Finished {
  readonly seconds: number;
  readonly stdout: string;
}

export interface RsiProcess {
  /** Rejects unless it ends with 0. */
  run(args: readonly string[]): Promise<Finished>;
  /** Resolves once everything is up. */
  up(): Promise<{ readonly seconds: number; readonly stop: () => Promise<void> }>;
}

export function openRsi(home: string): RsiProcess {
  const env = { ...process.env, RSI_HOME: home };
  // A server of somebody else's would be measured, and written to.
  for (const key of ['TEMPORAL_ADDRESS', 'DATABASE_URL', 'RSI_BLOBS']) delete (env as NodeJS.ProcessEnv)[key];
  const alive = new Set<ChildProcess>();
  // Ctrl-C, or a limit on the whole: a stack that nobody waits for would stay up.
  const endAll = (): void => {
    for (const child of alive) child.kill('SIGTERM');
    process.exit(130);
  };
  process.once('SIGINT', endAll).once('SIGTERM', endAll);
  const start = (args: readonly string[]): { child: ChildProcess; stdout: () => string; stderr: () => string } => {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), MAIN, ...args], { env });
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return { child, stdout: () => stdout, stderr: () => stderr };
  };
  return {
    run: async (args) => {
      const began = performance.now();
      const { child, stdout, stderr } = start(args);
      const [code] = (await once(child, 'close')) as [number | null];
      const seconds = (performance.now() - began) / 1000;
      if (code !== 0)
        throw new Error(`rsi ${args.join(' ')} ended with ${code}: ${stderr().trim().split('\n').at(-1)}`);
      return { seconds, stdout: stdout() };
    },
    up: async () => {
      const began = performance.now();
      const { child, stdout, stderr } = start(['up', '--json']);
      const closed = once(child, 'close');
      while (!stdout().includes('\n')) {
        const ended = await Promise.race([
          closed,
          once(child.stdout as NodeJS.ReadableStream, 'data').then(() => null),
        ]);
        if (ended !== null) throw new Error(`rsi up did not start: ${stderr().trim().split('\n').at(-1)}`);
      }
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        await closed;
      };
      return { seconds: (performance.now() - began) / 1000, stop };
    },
  };
}
