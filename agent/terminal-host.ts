/**
 * The terminals of one thread: opens, steps and closes them, plays and replays whole episodes, and probes the checks
 * on the host side after every command. Used by terminal-worker.ts and, with no workers, by the pool itself.
 */
import { Failure } from '../contracts/failures.ts';
import type { ScriptedEpisode, StepResult } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../sandbox/embedded.ts';
import { createScriptedAgent } from '../tasks/builtin/agents/scripted-agent.ts';
import { gradeChecks } from '../tasks/grade.ts';
import { isDone } from './end-reason.ts';
import { observationOf } from './observation.ts';
import type { TerminalAnswer, TerminalRequest } from './terminal-messages.ts';

/** Told when a command or the opening of a terminal starts (its limit in milliseconds) and ends (null). */
export type CommandWatch = (limitMs: number | null) => void;

export interface TerminalHost {
  handle(request: TerminalRequest): Promise<TerminalAnswer>;
}

interface Opened {
  readonly task: Task;
  readonly terminal: Terminal;
}

/** The next command, given what the last one showed; null before the first. */
type Next = (last: { readonly text: string; readonly exitCode: number } | null) => string;

export function createTerminalHost(watch: CommandWatch = () => undefined): TerminalHost {
  const opened = new Map<string, Opened>();

  const watched = async <T>(task: Task, work: () => Promise<T>): Promise<T> => {
    watch(task.limits.commandSeconds * 1000);
    try {
      return await work();
    } finally {
      watch(null);
    }
  };

  const open = (task: Task, options: TerminalOptions): Promise<{ terminal: Terminal; checks: readonly number[] }> =>
    watched(task, async () => {
      const terminal = await openTerminal(task, options);
      return { terminal, checks: await gradeChecks(task.checks, terminal.view) };
    });

  const step = ({ task, terminal }: Opened, command: string): Promise<StepResult> =>
    watched(task, async () => {
      const result = await terminal.run(command);
      return { ...result, checks: await gradeChecks(task.checks, terminal.view) };
    });

  const perform = async (task: Task, options: TerminalOptions, next: Next): Promise<ScriptedEpisode> => {
    const { terminal, checks: initialChecks } = await open(task, options);
    const turns: { command: string; result: StepResult }[] = [];
    for (let turn = 1; turn <= task.limits.turns; turn++) {
      const last = turns.at(-1)?.result;
      const command = next(last === undefined ? null : { text: observationOf(last), exitCode: last.exitCode });
      if (isDone(command)) return { initialChecks, turns, done: true };
      turns.push({ command, result: await step({ task, terminal }, command) });
    }
    return { initialChecks, turns, done: false };
  };

  const find = (episode: string): Opened => {
    const found = opened.get(episode);
    if (found !== undefined) return found;
    throw new Failure('sandbox', `episode ${episode} is not open: open it first`, { subject: episode });
  };

  return {
    async handle(request) {
      switch (request.kind) {
        case 'open': {
          const { terminal, checks } = await open(request.task, {});
          opened.set(request.episode, { task: request.task, terminal });
          return checks;
        }
        case 'step':
          return step(find(request.episode), request.command);
        case 'judge': {
          const { task, terminal } = find(request.episode);
          return watched(task, () => gradeChecks(task.checks, terminal.view));
        }
        case 'close':
          opened.delete(request.episode);
          return null;
        case 'play':
          return inOrder(request.tasks, (task, index) => {
            const agent = createScriptedAgent(request.script, task, request.seeds[index] ?? 0);
            return perform(task, { trusted: true }, (last) => agent.next(last));
          });
        case 'replay':
          return inOrder(request.tasks, (task, index) => {
            const commands = (request.commands[index] ?? []).values();
            return perform(task, {}, () => commands.next().value ?? 'done');
          });
      }
    },
  };
}

async function inOrder<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) results.push(await work(item, index));
  return results;
}
