/**
 * The token layout of an episode, in one place: rollouts build it token by token, demonstrations from text.
 *   plain prompt     <|task|> instruction <|turn|>
 *   rewrite prompt   <|task|> instruction <|parent|> (command <|end|> observation)* <|verdict|> 1/2 <|turn|>
 *   then each turn   command <|end|>, sampled: mask 1, turn number k;  observation <|turn|>, forced: mask 0, -1
 * A finished episode stops after the `<|end|>` of its last turn; what the terminal answered to it stands in the record
 * as text only.
 */
import type { ScriptedEpisode } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { Tokenizer } from '../model/tokenizer.ts';
import { DONE } from './end-reason.ts';
import { observationOf, type ObservationCap } from './observation.ts';

export type TranscriptArrays = Pick<Trajectory, 'promptLength' | 'tokenIds' | 'actionMask' | 'turnIds' | 'logProbs'>;

export function plainPrompt(tokenizer: Tokenizer, task: Pick<Task, 'instruction'>): number[] {
  const { task: taskId, turn } = tokenizer.special;
  return [taskId, ...tokenizer.encode(task.instruction), turn];
}

/** The parent's ids as they were sampled and shown; `checks` are its verdict, of which only the fraction is told. */
export function rewritePrompt(
  tokenizer: Tokenizer,
  task: Pick<Task, 'instruction'>,
  parent: Pick<TranscriptArrays, 'promptLength' | 'tokenIds'>,
  checks: readonly number[],
): number[] {
  const { task: taskId, parent: parentId, verdict, turn } = tokenizer.special;
  const attempt = parent.tokenIds.slice(parent.promptLength).filter((id) => id !== turn);
  const passed = checks.reduce((sum, check) => sum + check, 0);
  return [
    ...[taskId, ...tokenizer.encode(task.instruction)],
    ...[parentId, ...attempt],
    ...[verdict, ...tokenizer.encode(`${passed}/${checks.length}`), turn],
  ];
}

export interface Transcript {
  /** Tokens so far: what limits count. */
  readonly length: () => number;
  /** The turn's sampled tokens, `<|end|>` last, or all of them without it and `forcedEnd` set. */
  readonly appendAction: (ids: readonly number[], logProbs: readonly number[], forcedEnd?: boolean) => void;
  /** What the terminal showed, and the mark of the next turn. */
  readonly appendObservation: (ids: readonly number[]) => void;
  readonly finish: () => TranscriptArrays;
}

export function startTranscript(special: Tokenizer['special'], promptIds: readonly number[]): Transcript {
  const tokenIds: number[] = [];
  const actionMask: number[] = [];
  const turnIds: number[] = [];
  const logProbs: number[] = [];
  let turn = 0;
  let isTurnOpen = true;
  const push = (id: number, mask: number, turnId: number, logProb: number): void => {
    tokenIds.push(id);
    actionMask.push(mask);
    turnIds.push(turnId);
    logProbs.push(logProb);
  };
  const force = (ids: readonly number[]): void => ids.forEach((id) => push(id, 0, -1, 0));
  force(promptIds);

  return {
    length: () => tokenIds.length,
    appendAction(ids, probabilities, forcedEnd = false) {
      require(isTurnOpen, 'two answers without an observation between them');
      require(ids.length > 0 &&
        ids.length === probabilities.length, `${ids.length} ids, ${probabilities.length} logProbs`);
      const end = ids.indexOf(special.endOfTurn);
      require(end === (forcedEnd ? -1 : ids.length - 1), 'the end of the turn stands last, once, sampled or forced');
      turn += 1;
      isTurnOpen = false;
      ids.forEach((id, index) => push(id, 1, turn, probabilities[index] ?? 0));
      if (forcedEnd) force([special.endOfTurn]);
    },
    appendObservation(ids) {
      require(!isTurnOpen, 'an observation without a command');
      isTurnOpen = true;
      force(ids);
      force([special.turn]);
    },
    finish() {
      require(turn > 0 && !isTurnOpen, 'an episode ends with its last answer');
      return { promptLength: promptIds.length, tokenIds, actionMask, turnIds, logProbs };
    },
  };
}

/** A demonstration as if a policy had sampled it; `promptIds` defaults to the plain prompt. */
export function scriptedTranscript(
  tokenizer: Tokenizer,
  task: Pick<Task, 'instruction'>,
  episode: ScriptedEpisode,
  options: { readonly promptIds?: readonly number[]; readonly cap?: ObservationCap } = {},
): TranscriptArrays {
  const transcript = startTranscript(tokenizer.special, options.promptIds ?? plainPrompt(tokenizer, task));
  const say = (command: string): void => {
    const ids = [...tokenizer.encode(command), tokenizer.special.endOfTurn];
    transcript.appendAction(ids, new Array<number>(ids.length).fill(0));
  };
  for (const [index, { command, result }] of episode.turns.entries()) {
    say(command);
    const isLast = !episode.done && index === episode.turns.length - 1;
    if (!isLast) transcript.appendObservation(tokenizer.encode(observationOf(result, options.cap)));
  }
  if (episode.done) say(DONE);
  return transcript.finish();
}

/** The child's answers and observations unchanged behind another prompt: a rewrite as training reads it. */
export function plainTranscriptOf(child: TranscriptArrays, plainPromptIds: readonly number[]): TranscriptArrays {
  const { promptLength } = child;
  const behind = (prompt: readonly number[], values: readonly number[]): number[] => [
    ...prompt,
    ...values.slice(promptLength),
  ];
  const promptOf = (value: number): number[] => plainPromptIds.map(() => value);
  return {
    promptLength: plainPromptIds.length,
    tokenIds: behind(plainPromptIds, child.tokenIds),
    actionMask: behind(promptOf(0), child.actionMask),
    turnIds: behind(promptOf(-1), child.turnIds),
    logProbs: behind(promptOf(0), child.logProbs),
  };
}

function require(condition: boolean, complaint: string): void {
  if (!condition) throw new TypeError(`transcript: ${complaint}`);
}
