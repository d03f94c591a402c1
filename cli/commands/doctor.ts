/** `rsi doctor`: looks at what a run needs on this machine and says what to do about what is missing. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

const MARKS = { ok: 'ok  ', note: '-   ', warn: 'warn', fail: 'FAIL' } as const;

export function addDoctorCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('doctor')
    .description('check what a run needs on this machine')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { examine } = await import('../examine.ts');
      const findings = await examine();
      if (json) console.log(JSON.stringify({ findings }, null, 2));
      for (const { state, name, detail, remedy } of json ? [] : findings) {
        console.log(
          `${MARKS[state]}  ${name.padEnd(10)} ${detail}${remedy === null ? '' : `\n${' '.repeat(17)}→ ${remedy}`}`,
        );
      }
      done(findings.some(({ state }) => state === 'fail') ? EXIT.failed : EXIT.done);
    });
}
