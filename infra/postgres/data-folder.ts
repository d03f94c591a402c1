/**
 * The folder of the embedded server: `data` (0700, of the server's user), `password` (0600, ours), `server.log`.
 * The password is asked for on the loopback address too: with `trust`, every other user of the machine could read and
 * rewrite a run's lineage. There is no Unix socket, so that is the only way in.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { join, resolve } from 'node:path';
import { Failure } from '../../contracts/failures.ts';
import type { PostgresBinaries } from './binaries.ts';
import { isReachableBy, SHARED_ROOT, type ServerUser } from './server-user.ts';

export interface DataFolder {
  readonly folder: string;
  readonly data: string;
  readonly password: string;
  readonly logFile: string;
}

export const SUPERUSER = 'postgres';

/** `<home>/postgres`; where the server's user cannot reach it, a link there to a folder that it can. */
export function placeFolder(home: string, user: ServerUser | null, log: (line: string) => void): string {
  const wanted = resolve(home, 'postgres');
  mkdirSync(resolve(home), { recursive: true });
  const link = linkTarget(wanted);
  // Whoever removed what the link leads to wants to begin anew.
  if (link !== null) mkdirSync(link, { recursive: true, mode: 0o711 });
  if (!existsSync(wanted)) {
    if (user === null || isReachableBy(user, realpathSync(resolve(home)))) mkdirSync(wanted, { mode: 0o711 });
    else {
      const elsewhere = elsewhereOf(home);
      mkdirSync(elsewhere, { recursive: true, mode: 0o711 });
      symlinkSync(elsewhere, wanted);
      log(`The database is kept in ${elsewhere}: the user ${user.name} may not enter ${home}`);
    }
  }
  return realpathSync(wanted);
}

/** Where the data of a home goes that the server's user cannot enter; the name tells whose it is. */
export function elsewhereOf(home: string): string {
  const name = createHash('sha256').update(resolve(home, 'postgres')).digest('hex').slice(0, 12);
  return join(SHARED_ROOT, `data-${name}`);
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Makes the database cluster if there is none; a start that was killed half-way leaves none. */
export function prepareData(folder: string, binaries: PostgresBinaries, user: ServerUser | null): DataFolder {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  if (!existsSync(data)) initialise(folder, data, passwordFile, binaries, user);
  const made = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  const major = binaries.version.split('.')[0];
  if (made !== major) {
    throw new Failure(
      'storage',
      `${data} was made by PostgreSQL ${made}, installed is ${major}; dump it with the old version, or choose another home`,
      { subject: data, retryable: false },
    );
  }
  return { folder, data, password: readFileSync(passwordFile, 'utf8'), logFile: join(folder, 'server.log') };
}

function initialise(
  folder: string,
  data: string,
  passwordFile: string,
  { initdb }: PostgresBinaries,
  user: ServerUser | null,
): void {
  const password = randomBytes(24).toString('hex');
  const temporary = join(folder, `data.new-${process.pid}`);
  const given = join(folder, `given-${process.pid}`);
  mkdirSync(temporary, { mode: 0o700 });
  writeFileSync(given, password, { mode: 0o600 });
  if (user !== null) for (const path of [temporary, given]) chownSync(path, user.uid, user.gid);
  try {
    const options = ['-D', temporary, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${given}`];
    const made = spawnSync(initdb, [...options, '--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync'], {
      cwd: '/',
      encoding: 'utf8',
      timeout: 120_000,
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
    });
    if (made.status !== 0) {
      const reason = made.error?.message ?? made.stderr.trim().split('\n').slice(-3).join(' ');
      throw new Failure('storage', `initdb in ${folder} failed: ${reason}`, { subject: folder, retryable: false });
    }
    writeFileSync(passwordFile, password, { mode: 0o600 });
    chmodSync(passwordFile, 0o600);
    renameSync(temporary, data);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(given, { force: true });
  }
}
