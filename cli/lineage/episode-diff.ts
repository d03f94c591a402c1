/**
 * `rsi lineage diff CHILD`: an episode beside the one it was rewritten to, turn by turn, with every check before and after
 * and what the gates measured.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import { descendantsOfTrajectory, whyRewrite, type RewriteReason } from '../../lineage/postgres/queries.ts';
import { readShownEpisode, type ShownCheck, type ShownEpisode } from '../../lineage/postgres/shown-episode.ts';
import { alignTurns } from './align-turns.ts';
import { answerLines } from './answer-text.ts';
import { printable } from './printable.ts';
import { sideBySide } from './side-by-side.ts';
import type { Subject } from './subject.ts';

export interface EpisodeDiff {
  readonly left: ShownEpisode;
  readonly right: ShownEpisode;
  /** Of the right one as a rewrite of the left one; empty when it is none. */
  readonly decisions: readonly RewriteReason[];
}

type Named = Pick<Subject, 'runId' | 'digest'>;

/** Of two episodes the first is left; of one, its parent. */
export async function diffEpisodes(db: Queryable, named: Named, other: Named | null): Promise<EpisodeDiff> {
  const one = await readShownEpisode(db, named.runId, named.digest);
  if (other === null && one.parent === null) throw await noParent(db, named);
  const [left, right] =
    other === null
      ? [await readShownEpisode(db, named.runId, one.parent as string), one]
      : [one, await readShownEpisode(db, other.runId, other.digest)];
  const decisions = await whyRewrite(db, (other ?? named).runId, right.digest);
  return { left, right, decisions: decisions.filter(({ parent }) => parent === left.digest) };
}

async function noParent(db: Queryable, { runId, digest }: Named): Promise<Failure> {
  const { episodes } = await descendantsOfTrajectory(db, runId, digest, 3);
  const children = episodes.filter(({ depth }) => depth === 1).map((child) => child.digest.slice(0, 12));
  const hint = children.length === 0 ? 'name a second one' : `its rewrites: ${children.join(', ')}`;
  return new Failure('lineage', `trajectory ${digest.slice(0, 12)} has no parent to stand beside; ${hint}`, {
    subject: digest,
  });
}

export function diffLines({ left, right, decisions }: EpisodeDiff, width: number): string[] {
  const beside = sideBySide(width);
  const lines = [
    // A rewrite has its parent's task.
    ...(left.task === right.task ? [taskOf(left)] : beside(taskOf(left), taskOf(right))),
    ...beside(titleOf(left), titleOf(right)),
    ...beside(endOf(left), endOf(right)),
    '',
  ];
  const commands = (episode: ShownEpisode): string[] => episode.turns.map(({ command }) => command);
  for (const pair of alignTurns(commands(left), commands(right))) {
    lines.push(...beside(turnText(left, pair.left), turnText(right, pair.right), pair.same ? '=' : '|'), '');
  }
  lines.push(...beside(checksText(left), checksText(right)));
  for (const { measures, gate, accepted, place } of decisions) {
    lines.push('', `gates: ${accepted ? 'accepted' : `refused by ${gate}`} at ${place}`);
    lines.push(...answerLines(measures, '  '));
  }
  return lines;
}

function taskOf({ task, family, instruction }: ShownEpisode): string {
  return printable(`task ${task.slice(0, 12)} (${family}): ${instruction}`);
}

function titleOf({ digest, place, purpose, mode, policy }: ShownEpisode): string {
  const writer = policy === null ? 'scripted' : `by ${policy.slice(0, 12)}`;
  return `${digest.slice(0, 12)}  ${mode ?? purpose}  ${writer}\n${place}`;
}

function endOf({ strict, progress, endedBy, turns, failure }: ShownEpisode): string {
  if (strict === null) return `no verdict: ${failure ?? 'the machine failed'}`;
  return `${strict ? 'strict' : 'not strict'}, progress ${progress?.toFixed(3)}, ${turns.length} turns, ended by ${endedBy}`;
}

function turnText({ turns }: ShownEpisode, index: number | null): string {
  const turn = index === null ? undefined : turns[index];
  if (turn === undefined) return '';
  const exit = turn.exitCode === 0 ? '' : `  [exit ${turn.exitCode}]`;
  const checks = turn.checks.length === 0 ? '' : `  checks ${turn.checks.join(' ')}`;
  const shown = turn.observation.trimEnd();
  return `${(index as number) + 1} $ ${turn.command}${shown === '' ? '' : `\n${shown}`}\n${`${exit}${checks}`.trimStart()}`;
}

function checksText({ checks }: ShownEpisode): string {
  const value = (held: ShownCheck['before']): string => (held === null ? '-' : String(held));
  return ['checks, before -> after', ...checks.map((c) => `  ${value(c.before)} -> ${value(c.after)}  ${c.name}`)].join(
    '\n',
  );
}
