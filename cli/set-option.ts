/** `--set section.key=value`: one override by its dotted key. The value is JSON; what is not JSON is taken as text. */
import { Failure } from '../contracts/failures.ts';
import { isSection, type Overrides } from '../infra/presets.ts';

const KEY = /^[A-Za-z][A-Za-z0-9]*$/;

/** Non-finite numbers have no JSON form, but people write them: they are refused as numbers, by the schema. */
const NUMBERS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };

export function applySet(overrides: Overrides, option: string): Overrides {
  const at = option.indexOf('=');
  const path = option.slice(0, Math.max(0, at)).trim().split('.');
  if (at < 1 || !path.every((key) => KEY.test(key))) {
    throw new Failure('config', `--set ${option} is not of the form section.key=value`, { subject: '--set' });
  }
  return assign(overrides, path, parseValue(option.slice(at + 1)));
}

/** JSON where it is JSON, else the text as it stands. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  if (Object.hasOwn(NUMBERS, trimmed)) return NUMBERS[trimmed];
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return trimmed;
  }
}

function assign(target: Overrides, [key, ...rest]: readonly string[], value: unknown): Overrides {
  if (key === undefined) return target;
  if (rest.length === 0) return { ...target, [key]: value };
  const inner = Object.hasOwn(target, key) ? target[key] : {};
  return { ...target, [key]: assign(isSection(inner) ? inner : {}, rest, value) };
}
