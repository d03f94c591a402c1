/**
 * One sitting: the asked variants over the asked seeds, whatever of them has no row yet, each run followed by its row and
 * the tables made anew. Hours are made of several sittings; whatever ends one, the next goes on with the run under way.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../contracts/failures.ts';
import type { Backend } from '../model/backend.ts';
import { Interrupted } from '../training/context.ts';
import type { ProgressEvent } from '../training/progress-event.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { differences, flatten } from '../viewer/report/changed-keys.ts';
import { duration } from '../viewer/format.ts';
import { endCell } from './effects.ts';
import { studyFigure } from './figure.ts';
import { rowOf, type AblationRow, type Machine } from './row.ts';
import { readRows, storedRow, writeRow } from './rows.ts';
import { runVariant, type Storage, type VariantRun } from './run-variant.ts';
import { BASE, configOf, variantNamed, workflowIdOf, type Study, type Variant } from './study.ts';
import { ablationsText } from './table.ts';

/** A database that is being restarted is back within so many. */
const ATTEMPTS = 5;
const PAUSE_MS = 5_000;

export interface Sitting {
  readonly study: Study;
  /** Names; the base is done first, whether it is among them or not. */
  readonly variants: readonly string[];
  readonly seeds: readonly number[];
  /** Folder of the document; rows go to `ablations/` in it. */
  readonly docs: string;
  /** Whose tables the document holds, where there are rows of them. */
  readonly studies: readonly Study[];
  readonly storage: Storage;
  readonly backend: Backend;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  readonly report: (event: ProgressEvent) => void;
  readonly signal: AbortSignal;
}

export async function sit(sitting: Sitting): Promise<void> {
  const { study, seeds, docs, say } = sitting;
  const names = new Set([BASE, ...sitting.variants]);
  const variants = study.variants.filter(({ name }) => names.has(name));
  // Everything is checked before anything is computed.
  for (const variant of variants) for (const seed of seeds) configOf(study, variant, seed, sitting.backend.name);
  // Seed by seed: the first comparisons are there after the first round.
  for (const seed of seeds) {
    for (const variant of variants) await oneRow(sitting, variant, seed);
  }
  for (const line of writeTable(docs, sitting.studies)) say(line);
}

async function oneRow(sitting: Sitting, variant: Variant, seed: number): Promise<void> {
  const { study, docs, storage, backend, say } = sitting;
  const config = configOf(study, variant, seed, backend.name);
  const folder = rowsFolder(docs);
  const known = storedRow(folder, study.name, variant.name, config);
  if (known !== null) return say(`${variant.name}, seed ${seed}: there is its row, ${summary(known)}`);
  const base = variantNamed(study, BASE);
  const baseConfig = configOf(study, base, seed, backend.name);
  const workflowId = workflowIdOf(study, variant, seed);
  say(`${variant.name}, seed ${seed}: run ${workflowId}`);
  const asked: VariantRun = {
    ...{ workflowId, config },
    base: variant.name === BASE ? null : { workflowId: workflowIdOf(study, base, seed), config: baseConfig },
  };
  const { result, records, shared } = await withPatience(say, () => runVariant(asked, storage, backend, sitting));
  const row = rowOf(result, records, {
    ...{ study: study.name, preset: study.preset, diagnostics: study.diagnostics, variant: variant.name },
    // A base is described by what its setting changes of the defaults.
    changed: differences(flatten(config), flatten(variant.name === BASE ? parseRunConfig({}) : baseConfig)),
    ...{ workflowId, shared, backend: backend.name, versions: sitting.versions, machine: sitting.machine },
    date: new Date().toISOString().slice(0, 10),
  });
  const path = writeRow(folder, row);
  say(`${variant.name}, seed ${seed}: ${summary(row)}; ${path}`);
  writeTable(docs, sitting.studies);
}

/** Hours of work do not end with a machine that failed for a moment: a run goes on from what is stored. */
async function withPatience<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt = error instanceof Failure && error.retryable && !(error instanceof Interrupted);
      if (!isWorthIt || attempt === ATTEMPTS) throw error;
      say(`${error.message}; once more`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Makes the document and its figures from all rows there are; returns what is to be said of it. */
export function writeTable(docs: string, studies: readonly Study[]): string[] {
  const path = join(docs, 'ablations.md');
  const told = studies.flatMap((study) => {
    const rows = readRows(rowsFolder(docs), study);
    if (rows.current.length + rows.stale.length === 0) return [];
    const figure = join(rowsFolder(docs), study.name, 'differences.svg');
    mkdirSync(dirname(figure), { recursive: true });
    writeFileSync(figure, studyFigure(rows.current));
    return { study, figure: relative(docs, figure).replaceAll('\\', '/'), ...rows };
  });
  writeFileSync(path, ablationsText(told, textOf(path)));
  return [
    ...told.flatMap(({ study, stale }) => stale.map((line) => `stale row of ${study.name}, left out: ${line}`)),
    `table      ${path}`,
  ];
}

function rowsFolder(docs: string): string {
  return join(docs, 'ablations');
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // The first time.
  }
}

function summary(row: AblationRow): string {
  const [sampled, greedy] = [endCell(row, 'held-out'), endCell(row, 'held-out-greedy')];
  return `held-out ${sampled.strict}/${sampled.n} sampled, ${greedy.strict}/${greedy.n} greedy, ${duration(row.wallSeconds)}`;
}
