/** SHA-256 with node:crypto: the names of contracts/digest.ts, at a store's speed. */
import { createHash } from 'node:crypto';
import { canonicalText } from '../contracts/canonical-text.ts';
import type { Digest } from '../contracts/digest.ts';

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Equal to `digestOf` of contracts/digest.ts. */
export function nameOf(value: unknown): Digest {
  return sha256(canonicalText(value)).toString('hex');
}

export function nameOfText(text: string): Digest {
  return sha256(text).toString('hex');
}
