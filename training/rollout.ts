/**
 * One group of episodes in lockstep: every row advances one position per step, by a token that is forced (prompt,
 * observation) or sampled; where a turn ends, its command runs in that episode's own sandbox before anyone goes on.
 * Each episode samples from its own seeded stream, so its outcome depends on nothing but itself.
 */
import { commandOf, endReason, isDone, turnRoom } from '../agent/end-reason.ts';
import { observationOf } from '../agent/observation.ts';
import { startTranscript, type Transcript } from '../agent/transcript.ts';
import { asFailure, type FailureRecord } from '../contracts/failures.ts';
import type { TerminalPool } from '../contracts/sandbox.ts';
import type { EndedBy, Turn } from '../contracts/trajectory.ts';
import { openDecoder, type Decoder } from '../model/decode.ts';
import { soundRows } from '../model/row-sizes.ts';
import type { ModelConfig } from '../model/model-config.ts';
import type { Parameters } from '../model/parameters.ts';
import { sampleToken } from '../model/sample.ts';
import type { Tokenizer } from '../model/tokenizer.ts';
import { randomStream, type RandomStream } from '../rl/random-stream.ts';
import { breathe } from './context.ts';
import type { EpisodeRequest, PlayedEpisode } from './episode.ts';

/** What playing takes of its surroundings: any process that has these can play. */
export interface PlayingContext {
  readonly model: ModelConfig;
  readonly tokenizer: Tokenizer;
  readonly terminals: TerminalPool;
  readonly signal: AbortSignal;
  /** Told after every position. */
  readonly stepped?: () => void;
}

interface Row {
  readonly request: EpisodeRequest;
  readonly terminal: string;
  readonly transcript: Transcript;
  readonly stream: RandomStream;
  /** Tokens not fed yet: the prompt, then each observation. */
  readonly queue: number[];
  /** Tokens sampled in the turn under way, and their log-probabilities. */
  sampled: number[];
  logProbs: number[];
  checks: readonly number[];
  initialChecks: readonly number[];
  readonly turns: Turn[];
  endedBy: EndedBy | null;
  failure: FailureRecord | null;
}

export async function playGroup(
  context: PlayingContext,
  requests: readonly EpisodeRequest[],
  policy: Parameters,
  temperature: number,
): Promise<PlayedEpisode[]> {
  const rows = requests.map((request, index) => openRow(context, request, index));
  await Promise.all(rows.map((row) => openTerminal(context, row)));
  let live = rows.filter((row) => row.failure === null);
  const decoder = openDecoder(
    policy,
    context.model,
    soundRows(context.model, live.length),
    context.tokenizer.vocabSize,
  );
  try {
    while (live.length > 0) {
      await advance(context, decoder, live, temperature);
      live = compact(context, decoder, live);
      context.stepped?.();
      await breathe(context);
    }
  } finally {
    decoder.dispose();
    await Promise.all(rows.map((row) => context.terminals.close(row.terminal)));
  }
  return rows.map(playedEpisode);
}

function playedEpisode({ transcript, initialChecks, turns, endedBy, failure }: Row): PlayedEpisode {
  const isOver = failure === null && endedBy !== null;
  return { transcript: isOver ? transcript.finish() : null, initialChecks, turns, endedBy, failure };
}

/** One position for every row: feed, sample where nothing is forced, run the commands that ended. */
async function advance(
  context: PlayingContext,
  decoder: Decoder,
  rows: readonly Row[],
  temperature: number,
): Promise<void> {
  const { tokenizer, model } = context;
  const tokens = new Int32Array(decoder.rows).fill(tokenizer.special.pad);
  for (const [i, row] of rows.entries()) tokens[i] = row.queue.shift() ?? tokenizer.special.pad;
  const logits = decoder.step(tokens);
  const ended: Row[] = [];
  for (const [i, row] of rows.entries()) {
    if (!isLive(row) || row.queue.length > 0) continue;
    const { token, logProb } = sampleToken(logits, i * model.vocabSize, tokenizer.vocabSize, temperature, row.stream);
    row.sampled.push(token);
    row.logProbs.push(logProb);
    row.queue.push(token);
    const isFull = row.sampled.length >= turnRoom(row.transcript.length(), row.request.task.limits);
    if (token === tokenizer.special.endOfTurn || isFull) ended.push(row);
  }
  await Promise.all(ended.map((row) => endTurn(context, row)));
}

/** The turn's answer is complete: note it, run it, and show what the terminal said unless the episode is over. */
async function endTurn(context: PlayingContext, row: Row): Promise<void> {
  const { tokenizer, terminals } = context;
  const { endOfTurn, turn: nextTurn } = tokenizer.special;
  const isForced = row.sampled.at(-1) !== endOfTurn;
  row.transcript.appendAction(row.sampled, row.logProbs, isForced);
  if (isForced) row.queue.push(endOfTurn);
  const command = commandOf(tokenizer, row.sampled);
  row.sampled = [];
  row.logProbs = [];
  try {
    const result = isDone(command) ? null : await terminals.step(row.terminal, command);
    const observation = result === null ? '' : observationOf(result);
    row.checks = result?.checks ?? row.checks;
    row.turns.push({ command, observation, exitCode: result?.exitCode ?? 0, checks: row.checks });
    const ids = tokenizer.encode(observation);
    const state = {
      command,
      turn: row.turns.length,
      length: row.transcript.length(),
      observationTokens: ids.length,
    };
    row.endedBy = endReason(state, row.request.task.limits);
    if (row.endedBy !== null) return await judge(context, row);
    row.transcript.appendObservation(ids);
    row.queue.push(...ids, nextTurn);
  } catch (error) {
    row.failure = asFailure(error, 'sandbox', row.request.task.id).toRecord();
  }
}

/** The verdict's checks are those after the last turn. */
async function judge({ terminals }: PlayingContext, row: Row): Promise<void> {
  row.checks = await terminals.judge(row.terminal);
  const last = row.turns.pop();
  if (last !== undefined) row.turns.push({ ...last, checks: row.checks });
}

/** Finished rows leave; the batch shrinks once a quarter of it is empty (each change costs a copy). */
function compact({ model }: PlayingContext, decoder: Decoder, rows: Row[]): Row[] {
  const live = rows.flatMap((row, i) => (isLive(row) ? [i] : []));
  if (live.length === 0) return [];
  const target = soundRows(model, live.length);
  if (target > decoder.rows * 0.75) return rows;
  const kept = [...live];
  while (kept.length < target) kept.push(live[0] as number);
  decoder.keep(kept);
  return live.map((i) => rows[i] as Row);
}

function isLive(row: Row): boolean {
  return row.endedBy === null && row.failure === null;
}

let terminalsOpened = 0;

function openRow(context: PlayingContext, request: EpisodeRequest, index: number): Row {
  terminalsOpened += 1;
  return {
    request,
    terminal: `${request.task.id.slice(0, 12)}-${terminalsOpened}-${index}`,
    transcript: startTranscript(context.tokenizer.special, request.promptIds),
    stream: randomStream(request.seed),
    queue: [...request.promptIds],
    sampled: [],
    logProbs: [],
    checks: [],
    initialChecks: [],
    turns: [],
    endedBy: null,
    failure: null,
  };
}

async function openTerminal(context: PlayingContext, row: Row): Promise<void> {
  try {
    row.initialChecks = await context.terminals.open(row.terminal, row.request.task);
    row.checks = row.initialChecks;
  } catch (error) {
    row.failure = asFailure(error, 'sandbox', row.request.task.id).toRecord();
  }
}
