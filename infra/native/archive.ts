/** Gets an official libtensorflow archive over HTTPS: the way for machines without Python. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { findProgram, runCommand, tellingLine } from './command.ts';
import type { ProvisionContext } from './context.ts';
import { FetchFailure } from './failure.ts';
import type { ArchiveSource } from './sources.ts';

/** A host that does not answer by then is taken as unreachable. */
const ANSWER_MS = 10_000;

/** Downloads, checks the digest and unpacks below `root`; the archive itself is not kept. */
export async function downloadArchive(source: ArchiveSource, root: string, context: ProvisionContext): Promise<void> {
  const tar = findProgram(['tar'], context.env);
  if (tar === null) throw new FetchFailure('tar is not on the PATH', 'install tar');
  const archive = join(root, 'download', 'libtensorflow.tar.gz');
  await mkdir(dirname(archive), { recursive: true });
  context.log(`Downloading ${source.url}`);
  const digest = await download(source.url, archive, context.signal);
  if (digest !== source.sha256)
    throw new FetchFailure(
      `the archive from ${new URL(source.url).host} does not have the pinned digest`,
      'a proxy may have changed it; try again on another network',
    );
  const { code, output } = await runCommand(tar, ['-xzf', archive, '-C', root], context);
  if (code !== 0) throw new FetchFailure(`tar failed: ${tellingLine(output)}`, 'check the free disk space');
  await rm(dirname(archive), { recursive: true, force: true });
}

async function download(url: string, target: string, signal: AbortSignal): Promise<string> {
  const response = await request(url, signal);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response), hashing, createWriteStream(target), { signal });
  return hash.digest('hex');
}

async function request(url: string, signal: AbortSignal): Promise<ReadableStream> {
  const noAnswer = new AbortController();
  const timer = setTimeout(() => noAnswer.abort(), ANSWER_MS);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, noAnswer.signal]) });
    if (response.ok && response.body !== null) return response.body;
    throw new FetchFailure(`${new URL(url).host} answers ${response.status} for the archive`, 'try again later');
  } catch (error) {
    if (error instanceof FetchFailure || signal.aborted) throw error;
    throw new FetchFailure(`${new URL(url).host} cannot be reached`, 'check the network, then try again');
  } finally {
    clearTimeout(timer);
  }
}
