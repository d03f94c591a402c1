/**
 * Plays scripted agents and command lists in just-bash directly: the same shell as the worker pool, without workers.
 * Terminals are opened one after another, so that a thousand episodes stay small.
 */
import { Bash } from 'just-bash';
import type { ScriptedEpisode, ScriptKind, StepResult, TerminalPool } from '../../contracts/sandbox.ts';
import type { Task } from '../../contracts/task.ts';
import { createScriptedAgent } from '../../tasks/builtin/agents/scripted-agent.ts';
import type { Observation } from '../../tasks/builtin/sub-goals/sub-goal.ts';
import { gradeChecks, type FileView } from '../../tasks/grade.ts';

export interface Terminal {
  readonly view: FileView;
  step(command: string): Promise<StepResult>;
  checks(): Promise<number[]>;
}

export async function openTerminal(task: Task): Promise<Terminal> {
  const files = Object.fromEntries(task.files.map(({ path, content, mode }) => [path, { content, mode }]));
  const bash = new Bash({ cwd: task.workdir, files });
  for (const directory of task.directories) await bash.fs.mkdir(directory, { recursive: true });
  const view: FileView = {
    exists: (path) => bash.fs.exists(path),
    readFile: async (path) => ((await isFile(bash, path)) ? bash.fs.readFile(path) : null),
    mode: async (path) => ((await bash.fs.exists(path)) ? (await bash.fs.stat(path)).mode : null),
  };
  const checks = (): Promise<number[]> => gradeChecks(task.checks, view);
  return {
    view,
    checks,
    async step(command) {
      const { stdout, stderr, exitCode } = await bash.exec(command);
      return { stdout, stderr, exitCode, timedOut: false, checks: await checks() };
    },
  };
}

async function isFile(bash: Bash, path: string): Promise<boolean> {
  return (await bash.fs.exists(path)) && (await bash.fs.stat(path)).isFile;
}

async function playWith(task: Task, next: (last: Observation | null) => string): Promise<ScriptedEpisode> {
  const terminal = await openTerminal(task);
  const initialChecks = await terminal.checks();
  const turns: { command: string; result: StepResult }[] = [];
  let last: Observation | null = null;
  while (turns.length < task.limits.turns) {
    const command = next(last);
    // `done` is a turn without a command; the last turn may be it.
    if (command === 'done') return { initialChecks, turns, done: true };
    const result = await terminal.step(command);
    turns.push({ command, result });
    last = { text: result.stdout + result.stderr, exitCode: result.exitCode };
  }
  return { initialChecks, turns, done: false };
}

export const bashPlayer: Pick<TerminalPool, 'play' | 'replay'> = {
  async play(kind: ScriptKind, tasks, seeds) {
    const episodes: ScriptedEpisode[] = [];
    for (const [index, task] of tasks.entries()) {
      const agent = createScriptedAgent(kind, task, seeds[index] ?? 0);
      episodes.push(await playWith(task, (last) => agent.next(last)));
    }
    return episodes;
  },
  async replay(tasks, commands) {
    const episodes: ScriptedEpisode[] = [];
    for (const [index, task] of tasks.entries()) {
      const rest = [...(commands[index] ?? [])];
      episodes.push(await playWith(task, () => rest.shift() ?? 'done'));
    }
    return episodes;
  },
};
