/** Where a run folder keeps a stored file: what tests that damage one need to know. */
import { join } from 'node:path';

export function blobPath(folder: string, digest: string): string {
  return join(folder, 'blobs', digest.slice(0, 2), digest);
}
