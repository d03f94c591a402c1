// Gate 8 `touches-verifier`: a command names a test, solution or verdict path. Called by accept-rewrites.ts.
// Paths are resolved by text alone: `.` and `..`, wildcards, and every folder an earlier word of a `cd` could have led to.
// Not seen: paths built from variables or encodings, and reading a whole parent folder (`grep -r x /`).
// Source: docs/formulas.md: ours; it stands beside a sandbox that holds no tests until grading.

import { shellWords } from './shell-words.ts';

/** Where Harbor and Terminal-Bench keep tests, solutions and verdicts inside the sandbox. */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = ['/tests', '/solution', '/oracle', '/logs/verifier'];

/** Words that touch a protected path, as written, each once. Empty = the gate passes. */
export function findTouchedPaths(
  commands: readonly string[],
  workingDirectory: string,
  protectedPaths: readonly string[] = DEFAULT_PROTECTED_PATHS,
): string[] {
  const guarded = protectedPaths.map((path) => segments(path, '/'));
  const folders = new Set([workingDirectory]);
  const touched = new Set<string>();
  for (const command of commands) {
    const words = shellWords(command).map((word) => word.text);
    for (const [i, word] of words.entries()) {
      const candidates = pathLike(word);
      if (candidates.some((path) => isGuarded(path, folders, guarded))) touched.add(word);
      // Whether the folder outlives the command depends on the sandbox, so every folder named stays possible.
      const leader = words[i - 1];
      if (leader === 'cd' || leader === 'pushd' || leader === '-C') {
        for (const folder of [...folders]) folders.add(`/${segments(word, folder).join('/')}`);
      }
    }
  }
  return [...touched];
}

/** The word and every run of path characters in it: `--out=/tests/x`, `open('/tests/x')`. */
function pathLike(word: string): string[] {
  return [word, ...(word.match(/[\w.~+@%*?[\]/-]+/g) ?? [])];
}

function isGuarded(path: string, folders: ReadonlySet<string>, guarded: readonly (readonly string[])[]): boolean {
  // A bare word is relative to the folder too: `cat tests/x` in `/`.
  const bases = path.startsWith('/') ? ['/'] : folders;
  for (const base of bases) {
    const parts = segments(path, base);
    if (parts.length === 1 && parts[0] === '*') continue; // `/*` only lists names, and opens a comment in C
    const hit = guarded.some(
      (guard) => guard.length <= parts.length && guard.every((g, i) => matches(parts[i] ?? '', g)),
    );
    if (hit) return true;
  }
  return false;
}

/** Absolute segments of `path` seen from `base`, without `.`, `..` and empty ones. */
function segments(path: string, base: string): string[] {
  const out: string[] = [];
  const full = path.startsWith('/') ? path : `${base}/${path}`;
  for (const segment of full.split('/')) {
    if (segment === '..') out.pop();
    else if (segment !== '' && segment !== '.') out.push(segment);
  }
  return out;
}

/** True if a segment as written (with shell wildcards) can stand for `name`. */
function matches(written: string, name: string): boolean {
  if (!/[*?[]/.test(written)) return written === name;
  const pattern = written.replace(/\[[!^]?[^\]]+\]|[*?]|[^*?[]+|\[/g, (piece) => {
    if (piece === '*') return '.*';
    if (piece === '?') return '.';
    if (piece.length > 1 && piece.startsWith('[')) return '.'; // any set: rather one rewrite too few
    return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${pattern}$`, 'su').test(name);
}
