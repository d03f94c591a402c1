/** What the loop's process and a sampler say to each other over the channel between them. */
import type { FailureRecord } from '../../contracts/failures.ts';
import type { ModelConfig } from '../../model/model-config.ts';
import type { EpisodeRequest, PlayedEpisodes } from '../episode.ts';

export type ToSampler =
  | { readonly kind: 'open'; readonly model: ModelConfig; readonly sandboxThreads: number }
  | {
      readonly kind: 'play';
      readonly requests: readonly EpisodeRequest[];
      readonly temperature: number;
      /** The policy as safetensors bytes; null: the one that played last. */
      readonly weights: Uint8Array | null;
    };

/** One piece is played at a time, so answers need no number. */
export type FromSampler =
  | { readonly kind: 'ready' }
  /** Sent every `BEAT_MS` while a piece is played; `steps` counts positions since the sampler began. */
  | { readonly kind: 'alive'; readonly steps: number }
  | { readonly kind: 'played'; readonly played: PlayedEpisodes }
  | { readonly kind: 'failed'; readonly failure: FailureRecord };

export const BEAT_MS = 1000;
