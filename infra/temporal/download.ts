/** Gets the CLI from where the SDKs of Temporal get it. Gives up quickly where that cannot be reached. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = 'https://temporal.download/cli';
const ANSWER_MS = 5_000;
const DOWNLOAD_MS = 5 * 60_000;

interface Archive {
  readonly archiveUrl: string;
  readonly fileToExtract: string;
}

/** Returns the executable's path within `folder`. */
export async function downloadCli(folder: string, version: string, signal?: AbortSignal): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const query = new URLSearchParams({ arch, platform: process.platform, format: 'tar.gz', 'sdk-name': 'terminal-rsi' });
  const info = await get(`${SOURCE}/v${version}?${query.toString()}`, ANSWER_MS, signal);
  const { archiveUrl, fileToExtract } = (await info.json()) as Archive;
  const archive = join(folder, 'temporal.tar.gz');
  writeFileSync(archive, Buffer.from(await (await get(archiveUrl, DOWNLOAD_MS, signal)).arrayBuffer()));
  const unpacked = spawnSync('tar', ['-xzf', archive, '-C', folder, fileToExtract], { encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(`the archive cannot be unpacked: ${unpacked.stderr.trim()}`);
  const made = join(folder, fileToExtract);
  chmodSync(made, 0o755);
  const said = spawnSync(made, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  if (!said.includes(`version ${version}`)) throw new Error(`what was downloaded is not version ${version}`);
  return made;
}

async function get(url: string, ms: number, signal?: AbortSignal): Promise<Response> {
  try {
    const limit = AbortSignal.timeout(ms);
    const response = await fetch(url, { signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) });
    if (response.ok) return response;
    throw new Error(`${new URL(url).host} answers ${response.status}`);
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    throw cause === undefined ? error : new Error(`${new URL(url).host}: ${cause}`, { cause: error });
  }
}
