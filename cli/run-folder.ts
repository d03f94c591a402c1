/**
 * The folder of a run: where it lies, whether it may be used, which configuration it belongs to (`run.json`). The
 * records themselves are the store's (lineage/folder-store.ts).
 */
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseRunConfig, nearestName } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { digestOf } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import { makeFolder } from '../infra/make-folder.ts';
import { differences, flatten } from '../viewer/report/changed-keys.ts';
import type { BackendName } from '../model/backend.ts';
import { messageOf } from './exit.ts';

/** Of the records in the folder; raised when older ones can no longer be read. */
const FORMAT = 1;

export function runsFolder(): string {
  return join(process.env['RSI_HOME'] || '.rsi', 'runs');
}

/** `.rsi/runs/demo-seed0-1a2b3c4d`: equal configurations share a folder, so the same command goes on. */
export function defaultRunFolder(config: RunConfig): string {
  const preset = config.preset.replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  return join(runsFolder(), `${preset}-seed${config.seed}-${digestOf(config).slice(0, 8)}`);
}

/** Creates the folder or accepts it, and notes whose it is; refuses one that belongs to something else. */
export function claimRunFolder(folder: string, config: RunConfig, backend: BackendName): void {
  requireWritableFolder(folder);
  const entries = readdirSync(folder);
  const isRun = entries.includes('log.jsonl') || entries.includes('run.json');
  if (entries.length > 0 && !isRun) {
    throw refusal(folder, `holds other files and no run; choose an empty or a new folder with --out`);
  }
  const stored = readRunConfig(folder);
  if (stored !== null) {
    const [first] = differences(flatten(config), flatten(stored));
    if (first === undefined) return requireSameBackend(folder, backend);
    const change = `${first.key} was ${JSON.stringify(first.fallback)}, now ${JSON.stringify(first.value)}`;
    throw refusal(folder, `belongs to another configuration (${change}); use --fresh or another --out`);
  }
  if (hasRecords(folder))
    throw refusal(folder, 'holds records but no run.json to tell their configuration; use --fresh');
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify({ format: FORMAT, backend, config }, null, 2)}\n`);
}

/** Numbers of the two backends differ in their last bits: a run that mixed them could not be repeated. */
function requireSameBackend(folder: string, backend: BackendName): void {
  const { backend: before } = readHeader(folder);
  if (before === backend) return;
  throw refusal(
    folder,
    `was made on the ${before} backend, this is ${backend}; TERMINAL_RSI_BACKEND=${before} goes on with it, --fresh starts anew`,
  );
}

interface RunHeader {
  readonly format: number;
  readonly backend: BackendName;
  readonly config: unknown;
}

function readHeader(folder: string): RunHeader {
  const header = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunHeader;
  if (header.format === FORMAT) return header;
  throw new Error(`its format is ${header.format}, this version reads ${FORMAT}`);
}

/** The configuration that a folder belongs to; null when it does not say. */
export function readRunConfig(folder: string): RunConfig | null {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) return null;
  try {
    return parseRunConfig(readHeader(folder).config);
  } catch (error) {
    throw refusal(folder, `has an unreadable run.json (${messageOf(error)}); use --fresh or another folder`);
  }
}

/** Moves a folder out of the way, never deletes it. Returns where it is now, or null when there was none. */
export function moveAside(folder: string): string | null {
  if (!existsSync(folder)) return null;
  requireNotInUse(folder);
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15);
  let aside = `${resolve(folder)}.before-${stamp}`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${resolve(folder)}.before-${stamp}-${n}`;
  renameSync(folder, aside);
  return aside;
}

/** A run by its folder's path or its name under the runs folder. */
export function findRun(nameOrFolder: string): string {
  const named = join(runsFolder(), nameOrFolder);
  const found = [nameOrFolder, named].find((folder) => existsSync(join(folder, 'log.jsonl')));
  if (found !== undefined) return found;
  if (existsSync(nameOrFolder)) throw refusal(nameOrFolder, 'holds no run (log.jsonl is missing)');
  const names = existsSync(runsFolder()) ? readdirSync(runsFolder()) : [];
  const nearest = nearestName(basename(nameOrFolder), names);
  const hint =
    nearest !== null
      ? `did you mean '${nearest}'?`
      : names.length > 0
        ? `known: ${names.join(', ')}`
        : 'there are none yet';
  throw new Failure('config', `run '${nameOrFolder}' does not exist; ${hint}`, { subject: nameOrFolder });
}

/** Refuses an output file that could not be written at the end, before the work is done. */
export function requireWritableFile(option: string, path: string): void {
  const refuse = (reason: string): never => {
    throw new Failure('config', `${option} ${path} cannot be written (${reason})`, { subject: path });
  };
  try {
    if (existsSync(path)) {
      if (statSync(path).isDirectory()) refuse('it is a folder');
      accessSync(path, constants.W_OK);
    } else {
      accessSync(dirname(resolve(path)), constants.W_OK);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    refuse(code === 'ENOENT' ? 'its folder does not exist' : (code ?? messageOf(error)));
  }
}

/** Creates the folder of a report; a run in one process has its own there, which nothing else may replace. */
export function requireReportFolder(folder: string): void {
  requireWritableFolder(folder);
  if (hasRecords(folder) || existsSync(join(folder, 'run.json'))) {
    throw refusal(folder, 'holds a run of its own; --local goes on with it, another --out leaves it alone');
  }
}

function requireWritableFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw refusal(folder, `cannot be written (${messageOf(error)}); choose another with --out`);
  }
}

/** As lineage/folder-lock.ts writes it. */
function requireNotInUse(folder: string): void {
  const path = join(folder, 'lock');
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  if (holder > 0 && holder !== process.pid && isAlive(holder)) {
    throw new Failure(
      'storage',
      `run folder ${folder} is in use by process ${holder}; wait for it or choose another --out`,
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function hasRecords(folder: string): boolean {
  const path = join(folder, 'log.jsonl');
  return existsSync(path) && statSync(path).size > 0;
}

function refusal(folder: string, problem: string): Failure {
  return new Failure('config', `run folder ${folder} ${problem}`, { subject: folder });
}
