/**
 * Episodes played by sampler processes, each on one core: small tensor kernels do not fill several, and neither does one
 * main thread. Pieces wait in one queue; a sampler that is lost is replaced and its piece played again, alike.
 */
import { Failure } from '../../contracts/failures.ts';
import { ROW_MULTIPLE } from '../../model/row-sizes.ts';
import { encodeCheckpoint } from '../../model/checkpoint.ts';
import { Interrupted } from '../context.ts';
import { addedUp, type EpisodeRequest, type PlayedEpisodes } from '../episode.ts';
import type { ActingPolicy, Players } from './players.ts';
import { SamplerLost, startSampler, type Sampler, type SamplerOptions, type Weights } from './sampler-process.ts';

export interface SamplerPool extends Players {
  /** Of the samplers that live now. */
  readonly pids: () => number[];
}

/** Times a piece is begun: what ends its sampler every time would end any number of them. */
const ATTEMPTS = 3;

interface Piece {
  readonly requests: readonly EpisodeRequest[];
  readonly weights: Weights;
  readonly temperature: number;
  readonly signal: AbortSignal;
  readonly resolve: (played: PlayedEpisodes) => void;
  readonly reject: (error: Error) => void;
}

export function openSamplerPool(count: number, options: SamplerOptions): SamplerPool {
  const samplers = new Array<Sampler | null>(count).fill(null);
  const busy = new Array<boolean>(count).fill(false);
  let waiting: Piece[] = [];
  let isClosed = false;

  const next = (): void => {
    for (const [slot] of busy.entries()) {
      if (busy[slot] === true) continue;
      const piece = waiting.shift();
      if (piece === undefined) return;
      busy[slot] = true;
      void play(slot, piece).finally(() => {
        busy[slot] = false;
        next();
      });
    }
  };

  const play = async (slot: number, piece: Piece): Promise<void> => {
    // What is not waited for any longer is not waited out: a new sampler starts within a second.
    const abort = (): void => void samplers[slot]?.kill();
    piece.signal.addEventListener('abort', abort, { once: true });
    try {
      piece.resolve(await attempt(slot, piece));
    } catch (error) {
      piece.reject(error as Error);
    } finally {
      piece.signal.removeEventListener('abort', abort);
    }
  };

  const attempt = async (slot: number, piece: Piece): Promise<PlayedEpisodes> => {
    const { requests, weights, temperature, signal } = piece;
    for (let begun = 1; ; begun += 1) {
      if (signal.aborted) throw new Interrupted();
      if (isClosed) throw new Failure('compute', 'the samplers are closed');
      try {
        return await (samplers[slot] ??= startSampler(options)).play(requests, weights, temperature);
      } catch (error) {
        // Whatever went wrong in it: a clean process is the cheapest way to be rid of half-done work.
        await samplers[slot]?.kill();
        samplers[slot] = null;
        if (!(error instanceof SamplerLost)) throw error;
        if (begun < ATTEMPTS || signal.aborted || isClosed) continue;
        throw new Failure('compute', `${error.message}; ${ATTEMPTS} samplers were lost over the same episodes`);
      }
    }
  };

  return {
    width: count,
    // One more, so that a sampler finds its next piece while the last one's group is stored.
    lanes: count + 1,
    pids: () => samplers.flatMap((sampler) => sampler?.pid ?? []),
    play: async (requests, acting, pieces, signal) => {
      const weights = weightsOf(acting, options);
      const played = inPieces(requests, pieces).map(
        (members) =>
          new Promise<PlayedEpisodes>((resolve, reject) =>
            waiting.push({ requests: members, weights, temperature: acting.temperature, signal, resolve, reject }),
          ),
      );
      next();
      // All have ended before a failure is told: nothing goes on behind the caller's back.
      const ended = await Promise.allSettled(played);
      const parts = ended.map((piece) => {
        if (piece.status === 'rejected') throw piece.reason;
        return piece.value;
      });
      return { episodes: parts.flatMap(({ episodes }) => episodes), time: addedUp(parts.map(({ time }) => time)) };
    },
    close: async () => {
      isClosed = true;
      for (const { reject } of waiting) reject(new Failure('compute', 'the samplers are closed'));
      waiting = [];
      await Promise.all(samplers.map(async (sampler) => sampler?.kill()));
    },
  };
}

/** Encoded when the first sampler lacks them. */
function weightsOf({ parameters, policy }: ActingPolicy, { model }: SamplerOptions): Weights {
  let bytes: Uint8Array | null = null;
  return {
    digest: policy.weightsDigest,
    bytes: () => (bytes ??= encodeCheckpoint({ role: 'policy', config: model, parameters, optimizer: null }).bytes),
  };
}

/** Up to `pieces` runs of requests, all but the last a multiple of 8 long: a sampler's batch is padded to that. */
function inPieces(requests: readonly EpisodeRequest[], pieces: number): (readonly EpisodeRequest[])[] {
  const size = Math.max(1, Math.ceil(requests.length / pieces / ROW_MULTIPLE)) * ROW_MULTIPLE;
  return Array.from({ length: Math.ceil(requests.length / size) }, (_, i) => requests.slice(i * size, (i + 1) * size));
}
