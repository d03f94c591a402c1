/** Presets: JSON files in infra/presets that override only what they change, or a file of one's own. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unknownName } from '../contracts/config/parse-config.ts';
import { Failure } from '../contracts/failures.ts';

export type Overrides = Readonly<Record<string, unknown>>;

const FOLDER = fileURLToPath(new URL('./presets/', import.meta.url));

export function presetNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort();
}

/** On WASM the default preset takes a smaller budget, under a name of its own. */
const WASM_OVERLAYS: Readonly<Record<string, string>> = { demo: 'demo-wasm' };

/** A preset as it suits the tensor backend. */
export function presetFor(nameOrFile: string, backend: 'native' | 'wasm'): Overrides {
  const preset = loadPreset(nameOrFile);
  const overlay = backend === 'wasm' ? WASM_OVERLAYS[nameOrFile] : undefined;
  return overlay === undefined ? preset : merge(preset, loadPreset(overlay));
}

/** Sections of `over` into those of `base`; anything that is not a section replaces what was there. */
export function merge(base: Overrides, over: Overrides): Overrides {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isSection(before) && isSection(value) ? merge(before, value) : value;
  }
  return merged;
}

export function isSection(value: unknown): value is Overrides {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A preset by name, or a file: anything with a slash or the ending .json. */
export function loadPreset(nameOrFile: string): Overrides {
  if (nameOrFile.includes('/') || nameOrFile.endsWith('.json')) {
    return { preset: basename(nameOrFile, '.json'), ...readJsonFile(nameOrFile) };
  }
  const names = presetNames();
  if (!names.includes(nameOrFile)) throw new Failure('config', unknownName('preset', nameOrFile, names));
  return readJsonFile(`${FOLDER}${nameOrFile}.json`);
}

function readJsonFile(path: string): Overrides {
  const refuse = (problem: string): never => {
    throw new Failure('config', `preset file ${path} ${problem}`, { subject: path });
  };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    refuse(`cannot be read (${(error as NodeJS.ErrnoException).code ?? messageOf(error)})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    refuse(`is not JSON: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('must hold one JSON object');
  return value as Overrides;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
