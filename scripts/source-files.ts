/** Files of the repository by ending, sorted, without what is installed, built or produced by runs. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

const NOT_OURS = new Set(['node_modules', '.rsi', 'dist', '.git']);

/** Paths relative to the repository, '/'-separated, of files below `folder` whose name ends in `ending`. */
export function sourceFiles(folder: string, ending: string): string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() && !NOT_OURS.has(entry.name)) visit(join(path, entry.name));
      else if (entry.isFile() && entry.name.endsWith(ending)) found.push(relative(REPOSITORY, join(path, entry.name)));
    }
  };
  visit(join(REPOSITORY, folder));
  return found.sort();
}
