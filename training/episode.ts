/** An episode before and after it is played: plain data, so that another process may play it. */
import type { TranscriptArrays } from '../agent/transcript.ts';
import type { FailureRecord } from '../contracts/failures.ts';
import type { PlayingTime } from '../contracts/run-store.ts';
import type { Task } from '../contracts/task.ts';
import type { EndedBy, Purpose, RewriteMode, Turn } from '../contracts/trajectory.ts';

/** An episode to be played: which task, behind which prompt, from which seed. */
export interface EpisodeRequest {
  readonly task: Task;
  readonly purpose: Purpose;
  readonly promptIds: readonly number[];
  readonly seed: number;
  readonly sample: number;
  readonly parentId: string | null;
  readonly mode: RewriteMode | null;
}

/** What came of it, before its verdict is drawn up. */
export interface PlayedEpisode {
  /** Null when the machine failed. */
  readonly transcript: TranscriptArrays | null;
  readonly initialChecks: readonly number[];
  readonly turns: readonly Turn[];
  readonly endedBy: EndedBy | null;
  readonly failure: FailureRecord | null;
}

/** Episodes in the order of their requests, and how long they took. */
export interface PlayedEpisodes {
  readonly episodes: readonly PlayedEpisode[];
  readonly time: PlayingTime;
}

/** Times of what was played beside or after each other. */
export function addedUp(times: readonly PlayingTime[]): PlayingTime {
  return {
    seconds: times.reduce((sum, { seconds }) => sum + seconds, 0),
    sandbox: times.reduce((sum, { sandbox }) => sum + sandbox, 0),
  };
}
