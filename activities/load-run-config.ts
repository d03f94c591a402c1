/** A run's configuration as its claim has stored it: a file, found by its digest wherever the stored files are. */
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Digest } from '../contracts/digest.ts';
import type { RunRef } from './run-ref.ts';

export async function loadRunConfig(
  getBlob: (digest: Digest) => Promise<Uint8Array>,
  { configDigest }: Pick<RunRef, 'configDigest'>,
): Promise<RunConfig> {
  return parseRunConfig(JSON.parse(new TextDecoder().decode(await getBlob(configDigest))));
}
