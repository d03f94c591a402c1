/**
 * `npm run check`: types, lint, import rules, dead code, formatting, file sizes; all of them, whichever fails.
 * `npm run check -- lint formatting` runs only those. Ends with `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { REPOSITORY } from './source-files.ts';

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['tsc', '--noEmit', '--pretty'],
  lint: ['eslint', '.'],
  imports: ['depcruise', '.', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long'],
  'dead-code': ['knip', '--no-progress'],
  formatting: ['prettier', '--check', '.', '--log-level', 'warn'],
  sizes: ['tsx', 'scripts/check-sizes.ts'],
};

function check(name: string, [tool = '', ...args]: readonly string[]): boolean {
  const started = performance.now();
  const result = spawnSync(`node_modules/.bin/${tool}`, args, { cwd: REPOSITORY, encoding: 'utf8' });
  const isGood = result.status === 0;
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (!isGood)
    console.log(`${result.stdout}${result.stderr}${result.error?.message ?? ''}`.trimEnd().replaceAll(/^/gm, '  '));
  return isGood;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`unknown check ${unknown.join(', ')}; known: ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}
const chosen = Object.entries(CHECKS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const results = chosen.map(([name, command]) => check(name, command));
const failed = results.filter((isGood) => !isGood).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
