/** Runs the command line as a user does: a process of its own, in an empty working folder. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** The working folder of every process of a test file, gone afterwards. */
export const scratch = mkdtempSync(join(tmpdir(), 'rsi-cli-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `watch` sees the output so far, and may send signals. */
export async function runCli(
  args: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly onStart?: (child: ChildProcessWithoutNullStreams) => void;
    readonly watch?: (stdout: string, child: ChildProcessWithoutNullStreams) => void;
  } = {},
): Promise<Ended> {
  const { env = {}, onStart, watch } = options;
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), MAIN, ...args], {
    cwd: scratch,
    env: { ...process.env, RSI_HOME: '', RSI_DEBUG: '', ...env },
  });
  onStart?.(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    watch?.(stdout, child);
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
