/** What `rsi clean` is about to remove, with sizes, and what it keeps. */
import type { PartName } from './owned.ts';
import type { Survey } from './survey.ts';

const WORDS: Readonly<Record<PartName, string>> = {
  database: 'database',
  history: 'workflow history',
  runs: 'runs, reports',
  files: 'stored files',
  logs: 'logs',
  cache: 'cache',
  notes: 'notes',
};

/** Kept things that one line names. */
const NAMED = 5;

export function surveyLines(home: string, { parts, removals, kept }: Survey): string[] {
  const lines = parts.map(({ part, path, bytes, files }) => {
    const count = `${files} file${files === 1 ? '' : 's'}`;
    return `  ${WORDS[part].padEnd(17)} ${sizeText(bytes).padStart(9)}  ${count.padEnd(14)} ${path}`;
  });
  const more = kept.length > NAMED ? ` and ${kept.length - NAMED} more` : '';
  const others = kept.length === 0 ? [] : [`Kept, not made by rsi: ${kept.slice(0, NAMED).join(', ')}${more}`];
  if (parts.length > 0) return [`To be removed of ${home}:`, ...lines, ...others];
  if (removals.length > 0) return [`${home} holds nothing of rsi but the folder.`, ...others];
  return [`There is nothing to remove in ${home}.`, ...others];
}

/** "12.3 MB" */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
