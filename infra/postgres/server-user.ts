/**
 * PostgreSQL refuses to run as root. Started by root (a container), it runs as a system user of its own, made on first
 * use; anyone else's server runs as themselves.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../contracts/failures.ts';

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Where things go that the server's user could not reach in their own place. */
export const SHARED_ROOT = '/var/lib/terminal-rsi';

const NAME = 'rsi-postgres';

/** Ways to make a system user without home and shell: shadow's, then busybox's. */
const COMMANDS: readonly (readonly string[])[] = [
  [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/bin/false',
    NAME,
  ],
  ['adduser', '-S', '-D', '-H', '-h', '/nonexistent', '-s', '/bin/false', NAME],
];

/** Null: the server runs as whoever runs this. */
export function serverUser(log: (line: string) => void): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const known = findUser(NAME);
  if (known !== null) return known;
  for (const [command = '', ...args] of COMMANDS) {
    if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0) continue;
    const made = findUser(NAME);
    if (made === null) continue;
    log(`Made the system user ${NAME} (uid ${made.uid}): PostgreSQL does not run as root`);
    return made;
  }
  // Where no user can be made, one that a distribution's package left behind does.
  const fallback = findUser('postgres');
  if (fallback !== null) return fallback;
  throw new Failure(
    'storage',
    `PostgreSQL does not run as root, and the system user ${NAME} could not be made; make it, or set DATABASE_URL`,
    { subject: NAME, retryable: false },
  );
}

function findUser(name: string): ServerUser | null {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [login, , uid, gid] = line.split(':');
    if (login === name) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** Whether the user may enter every folder on the way to `path` (access lists beyond the mode bits are not read). */
export function isReachableBy(user: ServerUser, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
