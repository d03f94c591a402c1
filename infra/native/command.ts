/** Finds and runs the outside programs that provisioning needs (compiler, pip, tar). */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProvisionContext } from './context.ts';

/** Enough of a program's output to tell why it failed. */
const KEPT_CHARACTERS = 20_000;

export interface CommandResult {
  /** null: ended by a signal, named in `endedBy`. */
  readonly code: number | null;
  readonly endedBy: NodeJS.Signals | null;
  readonly output: string;
}

/** The first of `names` on the PATH, as an absolute path. */
export function findProgram(names: readonly string[], env: NodeJS.ProcessEnv): string | null {
  for (const name of names) {
    if (name === '') continue;
    const folders = isAbsolute(name) ? [''] : (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Runs a program to its end; stdout and stderr come back as one text. Rejects only when the attempt's time is up. */
export function runCommand(
  program: string,
  args: readonly string[],
  { env, signal }: Pick<ProvisionContext, 'env' | 'signal'>,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-KEPT_CHARACTERS));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      if (signal.aborted) reject(error);
      else resolve({ code: 127, endedBy: null, output: error.message });
    });
    child.on('close', (code, endedBy) => resolve({ code, endedBy, output }));
  });
}

/** The line of a program's output that says most: its last error line, else its last line. */
export function tellingLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'no output';
}
