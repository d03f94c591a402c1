/**
 * Turns what a person wrote into a complete, frozen configuration, or refuses it in one line that names the key, what
 * was given, what is allowed and, for a mistyped key or name, the nearest right one.
 */
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';
import { Failure } from '../failures.ts';
import { runConfigSchema, type RunConfig } from './run-config.ts';

/** Left out (undefined) and null mean `{}`: all defaults. */
export function parseRunConfig(input: unknown): RunConfig {
  const given = input ?? {};
  refuseNonObjects(given);
  const result = v.safeParse(runConfigSchema, given);
  if (!result.success) {
    const [first, ...others] = result.issues.map((issue) => issueText(issue));
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw refusal(`${first ?? 'invalid configuration'}${more}`, keyOf(result.issues[0]));
  }
  return deepFreeze(result.output);
}

/** `did you mean` for any list of names; null when nothing is near. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, edits: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return null;
  return best.edits <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : null;
}

/** "family 'notez' is unknown; did you mean 'notes'? known: notes, tidy" */
export function unknownName(what: string, given: string, names: readonly string[]): string {
  return oneLine(`${what} '${given}' is unknown; ${didYouMean(given, names)}known: ${names.join(', ')}`);
}

type Issue = v.BaseIssue<unknown>;

const SECTIONS: readonly string[] = Object.entries(runConfigSchema.entries).flatMap(([key, entry]) =>
  entry.wrapped.type === 'strict_object' ? [key] : [],
);

/** The schema library takes a list, a date or a map for an object without keys; that would hide a mistake. */
function refuseNonObjects(given: unknown): void {
  if (!isPlainObject(given)) {
    throw refusal(
      `the configuration is ${show(given)}; allowed: an object with keys among ${keysOfSection('').join(', ')}`,
    );
  }
  for (const section of SECTIONS) {
    const value = given[section];
    if (value === undefined || isPlainObject(value)) continue;
    const allowed = `an object with keys among ${keysOfSection(section).join(', ')}`;
    throw refusal(`configuration key '${section}' is ${show(value)}; allowed: ${allowed}`, section);
  }
}

function issueText(issue: Issue): string {
  const key = keyOf(issue);
  if (issue.type === 'strict_object') {
    const section = key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : '';
    const name = section === '' ? key : key.slice(section.length + 1);
    const names = keysOfSection(section);
    const where = section === '' ? 'known' : `known in '${section}'`;
    return `configuration key '${key}' (given ${show(issue.path?.at(-1)?.value)}) is unknown; ${didYouMean(name, names) || elsewhere(name)}${where}: ${names.join(', ')}`;
  }
  const nearest = issue.type === 'picklist' && typeof issue.input === 'string' ? optionNear(issue.input, issue) : '';
  return `configuration key '${key}' is ${show(issue.input)}; allowed: ${issue.message}${nearest}`;
}

function optionNear(given: string, issue: Issue): string {
  const options = [...(issue.expected ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
  const nearest = nearestName(given, options);
  return nearest === null ? '' : `; did you mean '${nearest}'?`;
}

function didYouMean(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  return nearest === null ? '' : `did you mean '${nearest}'? `;
}

/** A right name in the wrong section. */
function elsewhere(name: string): string {
  const home = SECTIONS.find((section) => keysOfSection(section).includes(name));
  return home === undefined ? '' : `did you mean '${home}.${name}'? `;
}

function refusal(message: string, subject?: string): Failure {
  return new Failure('config', oneLine(message), subject === undefined || subject === '' ? {} : { subject });
}

function keyOf(issue: Issue | undefined): string {
  return issue === undefined ? '' : (v.getDotPath(issue) ?? '');
}

/** What was given, shortly; anything a caller may have put there, so nothing here may throw. */
function show(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return 'a function';
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = Array.isArray(value) ? 'a list' : 'an object';
  }
  text ??= String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** Keys allowed in a section ('' = top level). */
function keysOfSection(section: string): string[] {
  if (section === '') return Object.keys(runConfigSchema.entries);
  const entry = (runConfigSchema.entries as Record<string, { wrapped?: { entries?: object } }>)[section];
  return Object.keys(entry?.wrapped?.entries ?? {});
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm (a workflow's sandbox) have another Object.prototype, which itself has none above it.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
