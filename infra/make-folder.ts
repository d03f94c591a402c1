/**
 * Makes a folder to write in, or says in a few words why there can be none. Step by step from what exists: Node's own
 * recursive mkdir never returns where a parent takes no folders, as /proc.
 */
import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export function makeFolder(path: string): void {
  const missing: string[] = [];
  let at = resolve(path);
  for (; !isFolder(at); at = dirname(at)) missing.unshift(at);
  try {
    for (const next of missing) mkdirIn(next);
    accessSync(path, constants.W_OK);
    readdirSync(path);
  } catch (error) {
    throw new Error(reasonOf(error as NodeJS.ErrnoException), { cause: error });
  }
}

function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: something above it is a file, and is found on the way up.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new Error(reasonOf(error as NodeJS.ErrnoException), { cause: error });
  }
  throw new Error(`${path} is a file`);
}

function mkdirIn(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else has made it meanwhile.
    if (code === 'EEXIST') return;
    // Its parent exists: it is one that the system alone fills.
    if (code === 'ENOENT') throw new Error(`no folder can be made in ${dirname(path)}`, { cause: error });
    throw error;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'read-only file system',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links go round in a circle',
};

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === undefined ? message : (WORDS[code] ?? code);
}
