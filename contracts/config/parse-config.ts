/**
 * Turns what a person wrote into a complete, frozen configuration, or refuses it in one line that names the key, what
 * was given, what is allowed and, for a mistyped key or name, the nearest right one.
 */
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';
import { Failure } from '../failures.ts';
import { runConfigSchema, type RunConfig } from './run-config.ts';

export function parseRunConfig(input: unknown): RunConfig {
  const result = v.safeParse(runConfigSchema, input ?? {});
  if (!result.success) {
    const [first, ...others] = result.issues.map((issue) => issueText(issue));
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw new Failure('config', `${first ?? 'invalid configuration'}${more}`, { subject: keyOf(result.issues[0]) });
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

/** "unknown family notez; known: a, b; did you mean notes?" */
export function unknownName(what: string, given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  return `${what} '${given}' is unknown; ${nearest === null ? '' : `did you mean '${nearest}'? `}known: ${names.join(', ')}`;
}

type Issue = v.BaseIssue<unknown>;

function issueText(issue: Issue): string {
  const key = keyOf(issue);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const parent = issue.path?.at(-1)?.input as Readonly<Record<string, unknown>> | undefined;
    const section = key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : '';
    const allowed = keysOfSection(section);
    const given =
      parent === undefined ? '' : ` (given ${show(parent[key.slice(section.length ? section.length + 1 : 0)])})`;
    return `configuration key ${unknownName('', key.split('.').at(-1) ?? key, allowed)
      .trimStart()
      .replace(/^'[^']*'/, `'${key}'${given}`)}`;
  }
  const allowed = issue.type === 'check' ? issue.message : (issue.expected ?? issue.message);
  const choices = issue.type === 'picklist' ? suggestion(issue) : '';
  return `configuration key '${key}' is ${show(issue.input)}; allowed: ${readable(issue, allowed)}${choices}`;
}

function suggestion(issue: Issue): string {
  if (typeof issue.input !== 'string') return '';
  const names = (issue.expected ?? '').replaceAll(/[()"]/g, '').split(' | ');
  const nearest = nearestName(issue.input, names);
  return nearest === null ? '' : `; did you mean '${nearest}'?`;
}

function readable(issue: Issue, allowed: string): string {
  if (issue.type === 'finite' || issue.type === 'safe_integer') {
    return issue.type === 'finite' ? 'a finite number' : 'a whole number';
  }
  if (issue.type === 'number') return 'a number';
  return allowed;
}

function keyOf(issue: Issue | undefined): string {
  return issue === undefined ? '' : (v.getDotPath(issue) ?? 'the configuration itself');
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Keys allowed in a section ('' = top level). */
function keysOfSection(section: string): string[] {
  if (section === '') return Object.keys(runConfigSchema.entries);
  const entry = (runConfigSchema.entries as Record<string, { wrapped?: { entries?: object } }>)[section];
  return Object.keys(entry?.wrapped?.entries ?? {});
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
