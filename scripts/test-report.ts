/**
 * What `npm test` prints: a heading per file, a line per test, failures with their difference at once and again at the
 * end, skipped tests by name with the reason, and one last line `N passed, N failed, N skipped`.
 */
import { relative } from 'node:path';
import { inspect } from 'node:util';

/** What the stream of node:test's run() yields. */
export interface TestEvent {
  readonly type: string;
  readonly data: unknown;
}

export interface TestReport {
  /** Starts a section: the same files may run under another backend. */
  pass(title: string): void;
  take(event: TestEvent): void;
  /** Something that keeps tests from running at all. */
  fail(what: string): void;
  /** Prints what is to be remembered and the last line; returns the exit code. */
  finish(): number;
}

interface Outcome {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly details: {
    readonly duration_ms: number;
    readonly type?: string | undefined;
    readonly error?: Error & { cause?: unknown };
  };
}

interface Spoken {
  readonly file?: string;
  readonly message: string;
}

export function createReport(root: string, print: (line: string) => void): TestReport {
  let passed = 0;
  const failures: string[] = [];
  const skipped: string[] = [];
  let heading = '';
  let section = '';
  const started = performance.now();

  const head = (file: string | undefined): string => {
    const name = file === undefined ? '(unknown file)' : relative(root, file);
    if (name !== heading) print(`\n${name}`);
    heading = name;
    return name;
  };
  const outcome = (data: Outcome, isPassed: boolean): void => {
    const file = head(data.file);
    const indent = '  '.repeat(data.nesting + 1);
    const isSuite = data.details.type === 'suite';
    const label = `${file}: ${data.name}${section === '' ? '' : ` [${section}]`}`;
    if (data.skip !== undefined && data.skip !== false) {
      const reason = typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
      print(`${indent}SKIPPED ${data.name}: ${reason}`);
      skipped.push(`${label}: ${reason}`);
      return;
    }
    if (!isPassed) {
      print(`${indent}FAILED ${data.name}`);
      // A suite or parent fails because of what stands in it: that is told where it happened.
      if (isSuite || isBecauseOfSubtests(data)) return;
      const text = explain(data.details.error).replaceAll(/^/gm, `${indent}  `);
      print(text);
      failures.push(`${label}\n${text}`);
      return;
    }
    const seconds = data.details.duration_ms >= 1000 ? ` (${(data.details.duration_ms / 1000).toFixed(1)} s)` : '';
    print(`${indent}${isSuite ? '' : 'ok '}${data.name}${seconds}`);
    if (!isSuite) passed += 1;
  };

  const spoken = (data: Spoken): void => {
    head(data.file);
    print(data.message.trimEnd().replaceAll(/^/gm, '    | '));
  };

  return {
    pass: (title) => {
      section = title;
      heading = '';
      print(`\n== ${title}`);
    },
    take: (event) => {
      switch (event.type) {
        case 'test:pass':
        case 'test:fail':
          outcome(event.data as Outcome, event.type === 'test:pass');
          break;
        case 'test:stdout':
        case 'test:stderr':
          spoken(event.data as Spoken);
          break;
        default:
          break;
      }
    },
    fail: (what) => failures.push(what),
    finish: () => {
      if (skipped.length > 0)
        print(`\nSKIPPED, so not checked here:\n${skipped.map((line) => `  ${line}`).join('\n')}`);
      if (failures.length > 0) print(`\nFAILED:\n${failures.join('\n\n')}`);
      print(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
      print(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped`);
      return failures.length === 0 ? 0 : 1;
    },
  };
}

function isBecauseOfSubtests(data: Outcome): boolean {
  return (data.details.error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed';
}

/** The thrown error behind node:test's own; assertion errors carry their difference in the message. */
function explain(error: (Error & { cause?: unknown }) | undefined): string {
  const thrown = error?.cause ?? error;
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : inspect(thrown);
  const stack = (thrown.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'));
  return [thrown.message, ...stack.slice(0, 6)].join('\n');
}
