/**
 * A terminal in this thread: one just-bash shell over an in-memory file system that holds the task's files. Called by
 * agent/terminal-host.ts. Deterministic (frozen-clock.ts), bounded (settings.ts); no network, no host files. What
 * lives on between commands: files, working directory, variables; functions, arrays and shell options do not,
 * and a command that leaves by `exit` or breaks off forgets its directory and variables.
 * Counts bound every known runaway; one that escapes them blocks the thread, and the pool ends the thread.
 */
import { Bash, DefenseInDepthBox } from 'just-bash';
import type { CommandResult } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import { withFrozenClock } from './frozen-clock.ts';
import { COMMANDS, executionLimits } from './settings.ts';
import { TerminalFiles } from './terminal-files.ts';
import { untimed } from './untimed.ts';

export interface TerminalOptions {
  /**
   * Whoever wrote the commands is our own code: the shell's second line of defence (host globals blocked while a
   * command runs) is left out, which makes a simple command half as dear. Never for a policy's commands: a thread
   * alone keeps nobody from the process.
   */
  readonly trusted?: boolean;
}

/** The files as the host sees them; what tasks/grade.ts reads. Paths are absolute. */
export interface HostView {
  readFile(path: string): Promise<string | null>;
  mode(path: string): Promise<number | null>;
  exists(path: string): Promise<boolean>;
}

export interface Terminal {
  readonly view: HostView;
  /** Never rejects because of what the command does. */
  run(command: string): Promise<CommandResult>;
}

const TIMED_OUT = 124;
/** Variables beyond this are forgotten, so that an episode cannot pile them up. */
const MAX_VARIABLE_CHARACTERS = 64 * 1024;
/** Read-only or set anew by every command. */
const NOT_CARRIED = new Set(['?', 'SHELLOPTS', 'BASHOPTS']);

export async function openTerminal(task: Task, options: TerminalOptions = {}): Promise<Terminal> {
  const trusted = options.trusted ?? false;
  if (!trusted) holdDefence();
  const seed = Number.parseInt(task.id.slice(0, 8), 16) | 0;
  const limitMs = task.limits.commandSeconds * 1000;
  const files = new TerminalFiles({}, {});
  const bash = await withFrozenClock({ tick: 0, seed, limitMs }, () => createShell(task, files, trusted));
  let variables: Record<string, string> = bash.getEnv();
  const shellOptions = Object.fromEntries(Object.entries(variables).filter(([name]) => NOT_CARRIED.has(name)));
  let tick = 0;

  return {
    view: hostView(files),
    async run(command) {
      tick += 1;
      if (/\btime\b/.test(command)) bash.registerTransformPlugin(untimed);
      return withFrozenClock({ tick, seed, limitMs }, async () => {
        const startedAt = performance.now();
        const cwd = await directoryOr(files, variables['PWD'], task.workdir);
        const env = { ...variables, ...shellOptions, PWD: cwd };
        const result = await execute(bash, command, env, cwd);
        if (result.env !== null && charactersOf(result.env) <= MAX_VARIABLE_CHARACTERS) variables = result.env;
        const timedOut = result.exitCode === TIMED_OUT && performance.now() - startedAt >= limitMs;
        return { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode, timedOut };
      });
    },
  };
}

function createShell(task: Task, files: TerminalFiles, trusted: boolean): Bash {
  const bash = new Bash({
    fs: files,
    cwd: task.workdir,
    env: { HOME: task.workdir, PATH: '/usr/bin', USER: 'agent', TZ: 'UTC' },
    commands: [...COMMANDS],
    executionLimits: executionLimits(task.limits.commandSeconds),
    defenseInDepth: !trusted,
    // Waiting is of no use where nothing else happens.
    sleep: async () => undefined,
  });
  files.ready();
  for (const directory of task.directories) files.mkdirSync(directory, { recursive: true });
  for (const { path, content, mode } of task.files) files.writeFileSync(path, content, 'utf8', { mode });
  return bash;
}

async function execute(
  bash: Bash,
  command: string,
  env: Record<string, string>,
  cwd: string,
): Promise<Omit<CommandResult, 'timedOut'> & { readonly env: Record<string, string> | null }> {
  try {
    return await bash.exec(command, { env, cwd, replaceEnv: true, rawScript: true });
  } catch {
    // A fault of the shell is an answer like any other: the same command would meet it again.
    return { stdout: '', stderr: 'bash: cannot run this command\n', exitCode: 2, env: null };
  }
}

/** `PWD` is a variable that a command may set to anything. */
async function directoryOr(files: TerminalFiles, path: string | undefined, fallback: string): Promise<string> {
  if (path === undefined || path === fallback) return fallback;
  const isDirectory = await files.stat(path).then(
    (stat) => stat.isDirectory,
    () => false,
  );
  return isDirectory ? path : fallback;
}

const charactersOf = (variables: Record<string, string>): number =>
  Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

function hostView(files: TerminalFiles): HostView {
  return {
    async readFile(path) {
      return (await isFile(files, path)) ? files.readFile(path) : null;
    },
    mode: (path) =>
      files.stat(path).then(
        (stat) => stat.mode,
        () => null,
      ),
    exists: (path) => files.exists(path),
  };
}

const isFile = (files: TerminalFiles, path: string): Promise<boolean> =>
  files.stat(path).then(
    (stat) => stat.isFile,
    () => false,
  );

let defence: unknown;

/**
 * The defence patches some fifty globals per command and takes them back after it. Holding one activation for the
 * thread's life leaves them patched (they bite only inside a command), which halves the price.
 */
function holdDefence(): void {
  defence ??= DefenseInDepthBox.getInstance(true).activate();
}
