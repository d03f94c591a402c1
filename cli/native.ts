/** `npm run native`: prepares the native tensor backend and says what it did. Exit code 0 ready, 1 not, 2 wrong usage. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { provisionNative, verifyNative, type NativeReady, type NativeResult } from '../infra/native.ts';

interface Flags {
  readonly cuda?: boolean;
  readonly json?: boolean;
  readonly force?: boolean;
  readonly verifyOnly?: boolean;
  readonly timeout?: number;
}

const HOW: Readonly<Record<NativeReady['how'], string>> = {
  present: 'in place already',
  linked: 'linked from the cache',
  built: 'built',
  foreign: 'in place, built elsewhere',
};

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return value;
}

const command = new Command('npm run native --')
  .description('Prepare the native tensor backend (libtensorflow) for this checkout.')
  .option('--cuda', 'take the CUDA build (default: where an NVIDIA GPU is seen)')
  .option('--no-cuda', 'take the CPU build')
  .option('--force', 'build anew, even if there is one')
  .option('--verify-only', 'check the linked build byte by byte and run it; change nothing')
  .option('--timeout <seconds>', 'give up after this long (default: 1200)', seconds)
  .option('--json', 'print one JSON object; the steps go to stderr')
  .allowExcessArguments(false)
  .exitOverride();

async function main(): Promise<number> {
  const flags = parseFlags();
  if (typeof flags === 'number') return flags;
  const print = flags.json ? console.error : console.log;
  const result = await (flags.verifyOnly ? verifyNative : provisionNative)({
    // Left out, commander gives true for an option that also has a --no- form.
    cuda: command.getOptionValueSource('cuda') === 'cli' ? flags.cuda : undefined,
    force: flags.force,
    timeout: flags.timeout === undefined ? undefined : flags.timeout * 1000,
    log: (line) => print(`  ${line}`),
  });
  console.log(flags.json ? JSON.stringify(result) : sentence(result));
  return result.kind === 'ready' ? 0 : 1;
}

function parseFlags(): Flags | number {
  try {
    return command.parse().opts<Flags>();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

function sentence(result: NativeResult): string {
  if (result.kind === 'unavailable') return `No native backend: ${result.reason}.\nWhat to do: ${result.remedy}.`;
  const variant = result.variant === 'cuda' ? ' with CUDA' : '';
  return `Native backend ready: libtensorflow ${result.libtensorflow}${variant}, ${HOW[result.how]} (${result.seconds.toFixed(1)} s).`;
}

process.exitCode = await main();
