/** SHA-256 of files and texts, in hexadecimal. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  // Each part's length goes in too, so that ['ab', 'c'] and ['a', 'bc'] differ.
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}

export async function sha256File(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}
