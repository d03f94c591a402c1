/** `rsi native`: the same as `npm run native`; cli/native.ts has the options and does the work. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';

export function addNativeCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('native')
    .description('prepare the native tensor backend (libtensorflow)')
    .argument('[options...]', 'see: rsi native --help')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (rest: readonly string[]) => {
      // cli/native.ts is a program of its own: it reads process.argv and leaves process.exitCode.
      process.argv = [process.argv[0] ?? 'node', 'rsi native', ...rest];
      await import('../native.ts');
      done(Number(process.exitCode ?? EXIT.done));
    });
}
