/** What the command line of `npm run ablate` says; the first thing that is wrong is one line. */
import { parseArgs } from 'node:util';
import { unknownName } from '../contracts/config/parse-config.ts';
import { Failure } from '../contracts/failures.ts';
import { presetNames } from '../infra/presets.ts';

export interface AblateArguments {
  readonly preset: string;
  readonly seeds: readonly number[];
  /** Null: all variants of the study. */
  readonly only: readonly string[] | null;
  readonly diagnostics: string | null;
  readonly quick: boolean;
  readonly write: boolean;
  /** Makes the table of the rows that are there, and runs nothing. */
  readonly table: boolean;
  readonly home: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run ablate -- [options]     the recursion with one mechanism changed at a time

  --preset NAME        what is changed (default: demo)
  --seeds N|A,B,C      so many seeds from 0 on, or these (default: 3; "7," is seed 7 alone)
  --only NAME,NAME     these variants (default: all); the base comes first where it has no row yet
  --diagnostics NAME   instead of the mechanisms: a setting in which one of them may matter
  --table              makes docs/ablations.md of the rows that are there; runs nothing
  --quick              preset smoke, seed 0, base, no-rsr and no-rpr, in a folder of its own that is thrown away
  --write              with --quick: rows and table go to docs/ all the same
  --home DIR           database and files (default: \${RSI_HOME:-.rsi})

Rows with the configuration of today are not made again. After Ctrl-C the same command goes on.`;

const MOST_SEEDS = 100;

export function parseArguments(argv: readonly string[]): AblateArguments {
  const values = parsed(argv);
  const { quick = false, write = false, table = false, help = false } = values;
  const taken = (['preset', 'seeds', 'only', 'diagnostics'] as const).filter((name) => values[name] !== undefined);
  if (quick && taken.length > 0) refuse(`--quick is a study of its own; leave out --${taken[0]}`);
  if (write && !quick) refuse('--write goes with --quick; all else is written to docs/ anyway');
  if (quick && table) refuse('--table runs nothing and --quick runs something; give one of them');
  const preset = values.preset ?? (quick ? 'smoke' : 'demo');
  const presets = presetNames();
  if (!presets.includes(preset)) refuse(unknownName('preset', preset, presets));
  return {
    ...{ preset, quick, write, table, help },
    seeds: quick ? [0] : seedsOf(values.seeds ?? '3'),
    only: quick ? ['base', 'no-rsr', 'no-rpr'] : values.only === undefined ? null : namesOf(values.only),
    diagnostics: values.diagnostics ?? null,
    home: values.home ?? null,
  };
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: {
        ...{ preset: text, seeds: text, only: text, diagnostics: text, home: text },
        ...{ quick: flag, write: flag, table: flag, help: { ...flag, short: 'h' } },
      },
    }).values;
  } catch (error) {
    // "Unknown option '--sed'. To specify a positional argument ...": the first sentence says it.
    return refuse((error instanceof Error ? error.message : String(error)).split(/[.\n] ?/)[0] ?? 'bad usage');
  }
}

/** "3" is 0, 1, 2; a list is what it says. */
function seedsOf(given: string): number[] {
  const isList = given.includes(',');
  const parts = given.split(',').filter((part) => part !== '');
  const numbers = parts.map((part) => (/^\d{1,10}$/.test(part.trim()) ? Number(part) : NaN));
  const isGood = numbers.length > 0 && numbers.every((number) => number <= 4294967295);
  if (isGood && isList && new Set(numbers).size === numbers.length) return numbers;
  const [count = 0] = numbers;
  if (isGood && !isList && count >= 1 && count <= MOST_SEEDS) return Array.from({ length: count }, (_, i) => i);
  return refuse(`--seeds is '${given}'; allowed: a count from 1 to ${MOST_SEEDS}, or different seeds with commas`);
}

function namesOf(given: string): string[] {
  const names = given.split(',').map((name) => name.trim());
  if (names.includes('')) refuse(`--only is '${given}'; allowed: names of variants with commas`);
  return names;
}

function refuse(problem: string): never {
  throw new Failure('config', problem);
}
