/**
 * The rows as files, one a run: `<folder>/<study>/<variant>-seed<n>.json`, kept in the repository. A row counts as long as
 * the configuration it was made with is what its variant means today; an older one is said, and left out. A key that came
 * later changes nothing at its default: that is what the run did without it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { differences, flatten } from '../viewer/report/changed-keys.ts';
import { configOf, variantNamed, type Study } from './study.ts';
import { ROW_SCHEMA, type AblationRow } from './row.ts';

export interface StoredRows {
  readonly current: readonly AblationRow[];
  /** One line each: which, and why it is left out. */
  readonly stale: readonly string[];
}

export function rowPath(folder: string, study: string, variant: string, seed: number): string {
  return join(folder, study, `${variant}-seed${seed}.json`);
}

/** Whole or not at all. */
export function writeRow(folder: string, row: AblationRow): string {
  const path = rowPath(folder, row.study, row.variant, row.seed);
  mkdirSync(join(folder, row.study), { recursive: true });
  writeFileSync(`${path}.part`, `${JSON.stringify(row, null, 2)}\n`);
  renameSync(`${path}.part`, path);
  return path;
}

/** The stored row of a run, if it was made with that configuration. */
export function storedRow(folder: string, study: string, variant: string, config: RunConfig): AblationRow | null {
  const path = rowPath(folder, study, variant, config.seed);
  if (!existsSync(path)) return null;
  const row = readRow(path);
  return row.schema === ROW_SCHEMA && otherKey(row.config, config) === null ? row : null;
}

/** All rows of a study, by variant as the study lists them, then by seed. */
export function readRows(folder: string, study: Study): StoredRows {
  const home = join(folder, study.name);
  const files = existsSync(home) ? readdirSync(home).filter((file) => file.endsWith('.json')) : [];
  const rows = files.map((file) => readRow(join(home, file)));
  const order = study.variants.map(({ name }) => name);
  const sorted = rows.sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant) || a.seed - b.seed);
  const judged = sorted.map((row) => ({ row, problem: staleness(row, study) }));
  return {
    current: judged.flatMap(({ row, problem }) => (problem === null ? [row] : [])),
    stale: judged.flatMap(({ row, problem }) =>
      problem === null ? [] : [`${row.variant}, seed ${row.seed}: ${problem}`],
    ),
  };
}

function staleness(row: AblationRow, study: Study): string | null {
  const form: string = row.schema;
  if (form !== ROW_SCHEMA) return `its form is ${form}, today's is ${ROW_SCHEMA}`;
  if (!study.variants.some(({ name }) => name === row.variant)) return 'there is no such variant any more';
  const other = otherKey(row.config, configOf(study, variantNamed(study, row.variant), row.seed, row.backend));
  return other === null ? null : `made with ${other}`;
}

/** The first key in which a row's configuration is not today's; null: it asks the same. */
function otherKey(made: RunConfig, today: RunConfig): string | null {
  const [then, now] = [flatten(made), flatten(today)];
  const defaults = flatten(parseRunConfig({}));
  const [key] = [
    ...differences(then, now).map((one) => one.key),
    ...differences(now, defaults).flatMap((one) => (then.has(one.key) ? [] : one.key)),
  ];
  if (key === undefined) return null;
  return `${key} ${JSON.stringify(then.get(key)) ?? 'unset'}, today ${JSON.stringify(now.get(key)) ?? 'unset'}`;
}

function readRow(path: string): AblationRow {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as AblationRow;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Failure('storage', `row ${path} cannot be read (${what}); remove it, and the run tells it again`, {
      subject: path,
    });
  }
}
