// Splits a shell command into words and words into the parts that carry data. Called by the gates on commands.
// Not a shell: no expansion, only what a reader would call the words, with quotes and backslashes removed.
// Source: docs/formulas.md, gate 9 ("shell-split, quotes removed, K=V and paths also split"): ours.

export interface ShellWord {
  readonly text: string;
  /** True for the program's name: the first word of a simple command, assignments apart. */
  readonly isProgram: boolean;
}

const OPERATORS = new Set([';', '&', '|', '(', ')', '`', '\n', '{', '}']);
const REDIRECTIONS = new Set(['<', '>']);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Words of one command line or script, in order; operators and redirections separate and are dropped. */
export function shellWords(command: string): ShellWord[] {
  const words: ShellWord[] = [];
  let current: string | null = null; // null = between words; '' = an empty quoted word
  let expectsProgram = true;
  let afterRedirection = false;
  let hereDocument: 'none' | 'announced' | 'body' = 'none'; // the lines of a body are data: no programs there
  const finish = (): void => {
    if (current === null) return;
    const isProgram = expectsProgram && hereDocument !== 'body' && !afterRedirection && !ASSIGNMENT.test(current);
    words.push({ text: current, isProgram });
    if (isProgram) expectsProgram = false;
    afterRedirection = false;
    current = null;
  };
  for (let i = 0; i < command.length; i++) {
    const char = command.charAt(i);
    if (char === "'" || char === '"') {
      const [text, end] = quoted(command, i);
      current = (current ?? '') + text;
      i = end;
    } else if (char === '\\') {
      i += 1;
      if (command.charAt(i) !== '\n') current = (current ?? '') + command.charAt(i); // backslash-newline joins lines
    } else if (isSeparatingBrace(command, i) || (OPERATORS.has(char) && char !== '{' && char !== '}')) {
      finish();
      expectsProgram = true;
      if (char === '\n' && hereDocument === 'announced') hereDocument = 'body';
    } else if (REDIRECTIONS.has(char)) {
      finish();
      afterRedirection = true;
      if (command.startsWith('<<', i) && !command.startsWith('<<<', i) && command.charAt(i - 1) !== '<') {
        hereDocument = 'announced';
      }
    } else if (/\s/.test(char)) {
      finish();
    } else {
      current = (current ?? '') + char;
    }
  }
  finish();
  return words;
}

/** A brace groups commands only if it stands alone; in `${V}` or `{a,b}` it belongs to the word. */
function isSeparatingBrace(command: string, i: number): boolean {
  const char = command.charAt(i);
  if (char !== '{' && char !== '}') return false;
  return /^\s?$/.test(command.charAt(i - 1)) && /^[\s;]?$/.test(command.charAt(i + 1));
}

/** The text inside the quotes that open at `start`, and the position of the closing one (or the end). */
function quoted(command: string, start: number): [text: string, end: number] {
  const quote = command.charAt(start);
  let text = '';
  for (let i = start + 1; i < command.length; i++) {
    const char = command.charAt(i);
    if (char === quote) return [text, i];
    if (char === '\\' && quote === '"' && '"\\$`'.includes(command.charAt(i + 1)) && i + 1 < command.length) {
      i += 1;
      text += command.charAt(i);
    } else {
      text += char;
    }
  }
  return [text, command.length];
}

/**
 * The word itself, the two sides of K=V, the parts of a path, and what brackets, blanks or punctuation inside a quoted
 * word part (a script in quotes would hide its words otherwise), each also without the full stop of a sentence. Parts
 * without a letter or digit say nothing.
 */
export function dataParts(word: string): string[] {
  const parts = [word, ...word.split(/[=/]/), ...word.split('/'), ...word.split(/[\s=/,:;|&<>()[\]{}'"`$]+/)];
  const trimmed = parts.map((part) => part.replace(/[.!?]+$/, ''));
  return [...new Set([...parts, ...trimmed])].filter((part) => /[\p{L}\p{N}]/u.test(part));
}
