/**
 * Content names: sha256 over canonical JSON (RFC 8785) or bytes, as lower-case hex. Pure JavaScript, so that workflow
 * code may call it too; files and checkpoints are hashed with node:crypto where they are read.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalText } from './canonical-text.ts';

/** 64 hex characters. */
export type Digest = string;

export function digestOfBytes(bytes: Uint8Array): Digest {
  return bytesToHex(sha256(bytes));
}

export function digestOfText(text: string): Digest {
  return digestOfBytes(utf8ToBytes(text));
}

/** Digest of a JSON value; throws on what JSON cannot hold (NaN, infinity, undefined at the top). */
export function digestOf(value: unknown): Digest {
  return digestOfText(canonicalText(value));
}
