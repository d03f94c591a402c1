/** Merkle root as of RFC 6962: leaves hashed behind 0x00, nodes behind 0x01, no leaf doubled. */
import { sha256 } from './canonical.ts';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function merkleRoot(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return sha256();
  return rootOf(leaves.map((leaf) => sha256(LEAF, leaf)));
}

function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0] as Buffer;
  // The largest power of two below the count.
  const left = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return sha256(NODE, rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)));
}
