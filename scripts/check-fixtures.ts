// Runs the rows of fixture files through the formulas of rl/: `tsx scripts/check-fixtures.ts DIR`.
// Each file is recognised by its name; a row passes if every expected field agrees within 1e-9 (relative above 1), or,
// with `"error": true`, if the formula refuses its input. One line per failed field, then `N passed, N failed`.
// Exit status: 0 all passed, 1 some failed, 2 nothing to check or an unreadable folder or file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Actual, CHECKS, type Expected } from './fixture-checks.ts';

const TOLERANCE = 1e-9;

/** A folder or file that cannot be checked at all; the message is the one line shown. */
class UnusableFixtures extends Error {}

export interface FixtureReport {
  readonly passed: number;
  readonly failed: number; // rows
  readonly lines: readonly string[]; // one per failed field
}

export function checkFixtures(directory: string): FixtureReport {
  const names = listFixtures(directory);
  let passed = 0;
  let failed = 0;
  const lines: string[] = [];
  for (const name of names) {
    readRows(directory, name).forEach((row, index) => {
      const problems = checkRow(name, row);
      if (problems.length === 0) passed += 1;
      else failed += 1;
      lines.push(...problems.map((problem) => `${name} row ${index}: ${problem}`));
    });
  }
  return { passed, failed, lines };
}

function listFixtures(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch (error) {
    throw new UnusableFixtures(`cannot read folder ${directory}: ${messageOf(error)}`, { cause: error });
  }
  names = names.filter((name) => name !== 'README.md');
  const unknown = names.find((name) => !CHECKS.has(name));
  if (unknown !== undefined) {
    throw new UnusableFixtures(`unknown file ${unknown} in ${directory}; known: ${[...CHECKS.keys()].join(', ')}`);
  }
  if (names.length === 0) throw new UnusableFixtures(`no fixture file in ${directory}`);
  return names;
}

function readRows(directory: string, name: string): Expected[] {
  const path = join(directory, name);
  let rows: unknown;
  try {
    rows = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UnusableFixtures(`cannot read ${path}: ${messageOf(error).replaceAll(/\s+/g, ' ')}`, { cause: error });
  }
  const isRow = (row: unknown): row is Expected => typeof row === 'object' && row !== null && !Array.isArray(row);
  if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isRow)) {
    throw new UnusableFixtures(`${path} is no list of rows; need a JSON array with at least one object`);
  }
  return rows;
}

function checkRow(name: string, row: Expected): string[] {
  let actual: Actual;
  try {
    const check = CHECKS.get(name);
    if (check === undefined) throw new UnusableFixtures(`unknown file ${name}`);
    actual = check(row);
  } catch (error) {
    // Only a RangeError is a formula's refusal; a missing field (TypeError) must not pass for one.
    return row['error'] === true && error instanceof RangeError ? [] : [`refused: ${messageOf(error)}`];
  }
  if (row['error'] === true) return [`error: expected a refusal, got ${JSON.stringify(actual)}`];
  return Object.entries(actual).flatMap(([field, got]) => compare(field, row[field], got));
}

/** One message for each place where `got` differs from `expected`. */
function compare(field: string, expected: unknown, got: unknown): string[] {
  const difference = [`${field}: expected ${show(expected)}, got ${show(got)}`];
  if (Array.isArray(got)) {
    if (!Array.isArray(expected) || expected.length !== got.length) return difference;
    return got.flatMap((value, i) => compare(`${field}[${i}]`, expected[i], value));
  }
  if (typeof got === 'object' && got !== null) {
    if (typeof expected !== 'object' || expected === null) return difference;
    const fields: Expected = { ...expected };
    return Object.entries(got).flatMap(([key, value]) => compare(`${field}.${key}`, fields[key], value));
  }
  if (typeof got === 'number' && typeof expected === 'number') {
    // NaN is never near: a comparison with it must not pass.
    return Math.abs(got - expected) <= TOLERANCE * Math.max(1, Math.abs(expected)) ? [] : difference;
  }
  return got === expected ? [] : difference;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function main(args: readonly string[]): number {
  const [directory, ...rest] = args;
  if (directory === undefined || rest.length > 0) {
    console.error('usage: tsx scripts/check-fixtures.ts DIR');
    return 2;
  }
  try {
    const { passed, failed, lines } = checkFixtures(directory);
    for (const line of lines) console.log(line);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnusableFixtures)) throw error;
    console.error(error.message);
    return 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = main(process.argv.slice(2));
}
