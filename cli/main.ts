#!/usr/bin/env -S npx tsx
/** `rsi`: one command line for everything. The table of commands is in program.ts, exit codes in exit.ts. */
import { EXIT, reportError } from './exit.ts';
import { buildProgram } from './program.ts';

async function main(): Promise<number> {
  let code: number = EXIT.done;
  try {
    const program = buildProgram((result) => (code = result));
    if (process.argv.length <= 2) program.help();
    await program.parseAsync();
  } catch (error) {
    code = reportError(error);
  }
  return code;
}

// Threads and native handles may still be open: the process ends here, with everything stored.
process.exit(await main());
