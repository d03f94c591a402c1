/** What a command may use and how much of it; see sandbox/embedded.ts. */
import type { BashOptions, CommandName } from 'just-bash';

/**
 * Text and file tools. Left out: archives and compression (they expand), databases and query languages (threads of
 * their own), `timeout` (real time), network, other languages.
 */
export const COMMANDS: readonly CommandName[] = [
  ...(['basename', 'bash', 'cat', 'chmod', 'comm', 'cp', 'cut', 'date', 'diff', 'dirname', 'du', 'echo'] as const),
  ...(['egrep', 'env', 'expand', 'expr', 'false', 'fgrep', 'file', 'find', 'fold', 'grep', 'head', 'join'] as const),
  ...(['ln', 'ls', 'md5sum', 'mkdir', 'mv', 'nl', 'od', 'paste', 'printenv', 'printf', 'pwd', 'readlink'] as const),
  ...(['rev', 'rm', 'rmdir', 'sed', 'seq', 'sh', 'sha256sum', 'sleep', 'sort', 'split', 'stat', 'strings'] as const),
  ...(['tac', 'tail', 'tee', 'touch', 'tr', 'tree', 'true', 'uniq', 'wc', 'which', 'whoami', 'xargs', 'awk'] as const),
];

const KiB = 1024;
const MiB = 1024 * KiB;

/** Counts end a runaway long before the clock does, so the end is the same on a slow machine. */
export function executionLimits(commandSeconds: number): NonNullable<BashOptions['executionLimits']> {
  return {
    maxExecutionTimeMs: commandSeconds * 1000,
    maxSourceBytes: 64 * KiB,
    maxCommandCount: 2000,
    maxLoopIterations: 5000,
    maxAwkIterations: 20_000,
    maxSedIterations: 20_000,
    maxGlobOperations: 20_000,
    maxWorkUnits: 200_000,
    maxTraversalEntries: 20_000,
    maxTraversalWork: 100_000,
    maxCallDepth: 50,
    maxExecDepth: 20,
    maxSubstitutionDepth: 20,
    maxBraceExpansionResults: 5000,
    maxArrayElements: 20_000,
    maxOutputSize: 256 * KiB,
    maxStringLength: 1 * MiB,
    maxHeredocSize: 256 * KiB,
    maxLiveBytes: 32 * MiB,
    maxInputBytes: 32 * MiB,
    maxFileSystemBytes: 16 * MiB,
    maxFileDescriptors: 64,
  };
}
