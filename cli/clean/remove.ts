/** Removes what a survey has found; a folder goes only if nothing is left in it. */
import { rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { Failure } from '../../contracts/failures.ts';
import type { Removal } from './survey.ts';

/** Returns the folders that stay because something that is kept lies in them. */
export function removeAll(removals: readonly Removal[]): string[] {
  return removals.filter((removal) => !remove(removal)).map(({ path }) => path);
}

/** False for a folder that still holds something. */
function remove({ path, kind }: Removal): boolean {
  try {
    if (kind === 'file') unlinkSync(path);
    // Links inside are removed, not followed.
    else if (kind === 'tree') rmSync(path, { recursive: true });
    else rmdirSync(path);
    return true;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (kind === 'folder' && (code === 'ENOTEMPTY' || code === 'EEXIST')) return false;
    throw new Failure('storage', `${path} cannot be removed (${code || message}); what came before it is gone`, {
      ...{ subject: path, cause: error },
    });
  }
}
