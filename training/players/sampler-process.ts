/**
 * The loop's side of one sampler (sampler-child.ts): starts it, hands it a piece, watches that it goes on. A sampler that
 * ends, hangs, or is not waited for any longer is dead for good; sampler-pool.ts starts another.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../contracts/failures.ts';
import type { BackendName } from '../../model/backend.ts';
import type { ModelConfig } from '../../model/model-config.ts';
import type { EpisodeRequest, PlayedEpisodes } from '../episode.ts';
import { BEAT_MS, type FromSampler, type ToSampler } from './sampler-messages.ts';

export interface SamplerOptions {
  readonly model: ModelConfig;
  readonly backend: BackendName;
  /** Threads of its sandbox pool; 0 runs commands in the sampler's only thread. */
  readonly sandboxThreads: number;
  /** Beats that may be missing from one at work before it counts as hung; the default has its reason below. */
  readonly silentBeats?: number;
  /** The sampler's module; tests put a faulty one here. */
  readonly entry?: URL;
}

export interface Weights {
  /** By which the sampler is known to have them. */
  readonly digest: string;
  readonly bytes: () => Uint8Array;
}

export interface Sampler {
  readonly pid: number | undefined;
  /** One piece at a time. Rejects with `SamplerLost` when the process is gone, whatever it died of. */
  play(requests: readonly EpisodeRequest[], weights: Weights, temperature: number): Promise<PlayedEpisodes>;
  /** Ends it at once, whatever it does: nothing is lost with it. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** The process is gone; the piece was not played, nothing speaks against another try. */
export class SamplerLost extends Error {
  override readonly name = 'SamplerLost';
}

/** Loading the tensor library takes a second, on a machine with much other work half a minute. */
const START_BEATS = 120;
/** Between two beats lie some hundred positions of milliseconds each. */
const SILENT_BEATS = 30;
/** What the sandbox pool adds to a command's own limit before it ends the thread (agent/embedded-pool.ts). */
const COMMAND_GRACE_SECONDS = 2;

/** The piece under way, or the start. */
interface Call {
  /** Null when it has started. */
  readonly resolve: (played: PlayedEpisodes | null) => void;
  readonly reject: (error: Error) => void;
}

/** In beats. */
interface Limits {
  readonly silent: number;
  /** Without a finished position. */
  readonly still: number;
}

export function startSampler(options: SamplerOptions): Sampler {
  const { model, backend, sandboxThreads, silentBeats = SILENT_BEATS } = options;
  const entry = options.entry ?? new URL('./sampler-child.ts', import.meta.url);
  const child = fork(fileURLToPath(entry), [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    env: { ...process.env, TERMINAL_RSI_BACKEND: backend },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let call: Call | null = null;
  let watch: NodeJS.Timeout | undefined;
  let digest: string | null = null;
  let reason: string | null = null;
  const gone = new Promise<void>((resolve) => {
    const lost = (how: string): void => {
      reason ??= how;
      settle(({ reject }) => reject(new SamplerLost(`sampler ${child.pid} ${reason}`)));
      resolve();
    };
    child.once('exit', (code, signal) => lost(`ended with ${signal ?? code}`));
    child.once('error', (error) => lost(`did not start: ${error.message}`));
  });

  const settle = (how: (call: Call) => void): void => {
    clearInterval(watch);
    const settled = call;
    call = null;
    // An idle sampler keeps no process alive.
    child.unref();
    child.channel?.unref();
    if (settled !== null) how(settled);
  };
  const end = (why: string): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const send = (message: ToSampler): void => {
    // A channel that is closed tells of itself by the exit.
    if (child.connected) child.send(message, () => undefined);
  };

  let silent = 0;
  let still = 0;
  let steps = 0;
  /** Counted in beats of this process, so a machine that was asleep is not taken for a sampler that hangs. */
  const watched = (limits: Limits, begin: () => void): Promise<PlayedEpisodes | null> =>
    new Promise((resolve, reject) => {
      if (reason !== null) return reject(new SamplerLost(`sampler ${child.pid} ${reason}`));
      call = { resolve, reject };
      silent = 0;
      still = 0;
      child.ref();
      child.channel?.ref();
      watch = setInterval(() => {
        silent += 1;
        still += 1;
        const seconds = (beats: number): string => `${(beats * BEAT_MS) / 1000} s and was ended`;
        if (silent > limits.silent) end(`gave no sign of life for ${seconds(limits.silent)}`);
        else if (still > limits.still) end(`finished no position for ${seconds(limits.still)}`);
      }, BEAT_MS);
      begin();
    });

  child.on('message', (message: FromSampler) => {
    silent = 0;
    if (message.kind === 'alive') {
      if (message.steps > steps) still = 0;
      steps = message.steps;
    } else if (message.kind === 'ready') settle(({ resolve }) => resolve(null));
    else if (message.kind === 'played') settle(({ resolve }) => resolve(message.played));
    else settle(({ reject }) => reject(rebuilt(message.failure)));
  });

  const ready = watched({ silent: START_BEATS, still: START_BEATS }, () =>
    send({ kind: 'open', model, sandboxThreads }),
  );
  ready.catch(() => undefined);

  return {
    pid: child.pid,
    play: async (requests, weights, temperature) => {
      await ready;
      // At one position each episode may end a turn, and each command may run to its limit.
      const seconds = Math.max(...requests.map(({ task }) => task.limits.commandSeconds)) + COMMAND_GRACE_SECONDS;
      const still = silentBeats + Math.ceil((requests.length * seconds * 1000) / BEAT_MS);
      const played = await watched({ silent: silentBeats, still }, () => {
        const news = digest === weights.digest ? null : weights.bytes();
        digest = weights.digest;
        send({ kind: 'play', requests, temperature, weights: news });
      });
      if (played === null) throw new SamplerLost(`sampler ${child.pid} answered with a start`);
      return played;
    },
    kill: () => {
      child.ref();
      end('was ended');
      return gone;
    },
  };
}

function rebuilt({ boundary, message, subject, retryable }: ReturnType<Failure['toRecord']>): Failure {
  return new Failure(boundary, message, { retryable, ...(subject === null ? {} : { subject }) });
}
