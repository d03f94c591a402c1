/**
 * Who plays episodes for the loop: this process (in-process.ts) or sampler processes (sampler-pool.ts). Both give the
 * same episodes, whatever their number: a row of a batch depends on nothing but its own contents, and an episode on
 * nothing but its request.
 */
import type { CheckpointRef } from '../../contracts/checkpoint.ts';
import type { Parameters } from '../../model/parameters.ts';
import type { EpisodeRequest, PlayedEpisodes } from '../episode.ts';

/** Who acts: weights, the checkpoint they are of, and how boldly it samples (0 = greedy). */
export interface ActingPolicy {
  readonly parameters: Parameters;
  readonly policy: CheckpointRef;
  readonly temperature: number;
}

export interface Players {
  /** Batches advanced at the same moment. */
  readonly width: number;
  /** Groups worth asking for at once: enough that nobody waits while another group is stored. */
  readonly lanes: number;
  /**
   * Plays a group to its end, in the order of the requests. It may be advanced in up to `pieces` batches side by side.
   * Rejects with `Interrupted` once the signal is aborted.
   */
  play(
    requests: readonly EpisodeRequest[],
    acting: ActingPolicy,
    pieces: number,
    signal: AbortSignal,
  ): Promise<PlayedEpisodes>;
  close(): Promise<void>;
}
