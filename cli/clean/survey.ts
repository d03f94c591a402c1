/**
 * Looks through a home folder and says what of it is this program's, what it takes, and what is to be kept. Nothing is
 * changed, no link is followed.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, HOME, type Owned, type PartName } from './owned.ts';

export interface Removal {
  readonly path: string;
  /** file: a file, or a link itself; tree: with all that is in it; folder: if nothing else is left in it. */
  readonly kind: 'file' | 'tree' | 'folder';
}

export interface Part {
  readonly part: PartName;
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
}

export interface Survey {
  readonly parts: readonly Part[];
  /** In the order in which they can be removed. */
  readonly removals: readonly Removal[];
  /** Not of this program, or links. */
  readonly kept: readonly string[];
}

/** `elsewhere`: where the database of this home lies if not in it (infra/postgres/data-folder.ts). */
export function surveyHome(home: string, elsewhere: string): Survey {
  const parts: Part[] = [];
  const removals: Removal[] = [];
  const kept: string[] = [];
  const take = (part: PartName, path: string, owned: Owned): void => {
    const found = lookAt(path, owned);
    removals.push(...found.removals);
    kept.push(...found.kept);
    if (found.removals.length > 0) parts.push({ part, path, bytes: found.bytes, files: found.files });
  };
  const stats = statOf(home);
  for (const name of stats?.isDirectory() ? readdirSync(home).sort() : []) {
    const path = join(home, name);
    const known = HOME.find((entry) => entry.name.test(name));
    if (known === undefined) kept.push(path);
    else if (known.part === 'database' && linkTo(path) === elsewhere) removals.push({ path, kind: 'file' });
    else take(known.part, path, known.owned);
  }
  if (stats?.isSymbolicLink()) kept.push(home);
  if (existsSync(elsewhere)) take('database', elsewhere, DATABASE);
  if (stats?.isDirectory()) removals.push({ path: home, kind: 'folder' });
  return { parts, removals, kept };
}

interface Found {
  readonly removals: Removal[];
  readonly kept: string[];
  bytes: number;
  files: number;
}

function lookAt(path: string, owned: Owned): Found {
  const found: Found = { removals: [], kept: [], bytes: 0, files: 0 };
  const stats = statOf(path);
  if (stats === null) return found;
  const isRight = owned.kind === 'file' ? stats.isFile() : stats.isDirectory();
  const names = isRight && stats.isDirectory() ? readdirSync(path).sort() : [];
  const { marker = null } = owned.kind === 'file' ? {} : owned;
  if (!isRight || (marker !== null && !names.some((name) => isMarker(marker, name)))) {
    found.kept.push(path);
    return found;
  }
  if (owned.kind !== 'folder') {
    Object.assign(found, measure(path, stats));
    found.removals.push({ path, kind: owned.kind });
    return found;
  }
  for (const name of names) {
    const entry = owned.entries.find(([pattern]) => pattern.test(name));
    if (entry === undefined) found.kept.push(join(path, name));
    else merge(found, lookAt(join(path, name), entry[1]));
  }
  found.removals.push({ path, kind: 'folder' });
  return found;
}

function merge(into: Found, { removals, kept, bytes, files }: Found): void {
  // Not spread: a run has tens of thousands of files.
  for (const removal of removals) into.removals.push(removal);
  for (const path of kept) into.kept.push(path);
  into.bytes += bytes;
  into.files += files;
}

function isMarker(marker: string | RegExp, name: string): boolean {
  return typeof marker === 'string' ? marker === name : marker.test(name);
}

function measure(path: string, stats: Stats): { bytes: number; files: number } {
  if (!stats.isDirectory()) return { bytes: stats.size, files: 1 };
  const total = { bytes: 0, files: 0 };
  for (const name of readdirSync(path)) {
    const inner = statOf(join(path, name));
    if (inner === null) continue;
    const { bytes, files } = measure(join(path, name), inner);
    total.bytes += bytes;
    total.files += files;
  }
  return total;
}

/** Of the thing itself, not of what a link leads to; null when it is gone. */
function statOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function linkTo(path: string): string | null {
  return statOf(path)?.isSymbolicLink() ? readlinkSync(path) : null;
}
