/**
 * `npm run ablate`: runs the recursion with one mechanism changed at a time, keeps a row a run in docs/ablations and makes
 * docs/ablations.md of them. Options: arguments.ts; exit codes as everywhere: 0 done, 1 failed, 2 usage, 130 Ctrl-C.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../contracts/failures.ts';
import { openPostgres } from '../infra/postgres.ts';
import { prepareBackend } from '../infra/prepare-backend.ts';
import { presetFor, presetNames } from '../infra/presets.ts';
import { INTERRUPTED, listenForStop } from '../infra/stop-signals.ts';
import { openBackend, type Backend } from '../model/backend.ts';
import { Interrupted } from '../training/context.ts';
import { parseArguments, USAGE, type AblateArguments } from './arguments.ts';
import { DIAGNOSTICS, diagnosticStudy } from './diagnostics.ts';
import { sit, writeTable } from './sitting.ts';
import { variantNamed, type Study } from './study.ts';
import { mechanismStudy } from './variants.ts';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string): void => console.log(line);

async function main(): Promise<number> {
  const args = parseArguments(process.argv.slice(2));
  if (args.help) say(USAGE);
  else if (args.table) for (const line of writeTable(join(REPOSITORY, 'docs'), allStudies())) say(line);
  else await run(args);
  return 0;
}

async function run(args: AblateArguments): Promise<void> {
  // A wrong name is refused before anything slow is opened.
  const asked = studyOf(args, args.preset);
  for (const name of args.only ?? []) variantNamed(asked, name);
  const stop = listenForStop(say);
  const folder = args.quick ? mkdtempSync(join(tmpdir(), 'rsi-ablate-')) : null;
  try {
    // The database server's own user has to enter it.
    if (folder !== null) chmodSync(folder, 0o755);
    await prepareBackend(say, stop.signal);
    const backend = await openBackend();
    const { name, describe } = backend;
    say(`backend    ${name}: ${describe.library} ${describe.version}`);
    // On WebAssembly the default preset is another one (infra/presets.ts), and its rows stand apart.
    const study = studyOf(args, String(presetFor(args.preset, name)['preset']));
    const home = resolve(args.home ?? folder ?? (process.env['RSI_HOME'] || '.rsi'));
    const docs = folder === null || args.write ? join(REPOSITORY, 'docs') : join(folder, 'docs');
    mkdirSync(docs, { recursive: true });
    const given = args.quick ? undefined : process.env['DATABASE_URL'];
    const server = await openPostgres({ databaseUrl: given, home, log: say });
    try {
      const blobs = (given && process.env['RSI_BLOBS']) || join(home, 'blobs');
      await sit({
        ...{ study, docs, backend, say, seeds: args.seeds, signal: stop.signal },
        variants: args.only ?? study.variants.map((variant) => variant.name),
        studies: args.quick && !args.write ? [study] : allStudies(),
        storage: { databaseUrl: server.url, blobs },
        ...{ machine: machine(), versions: versions(backend) },
        report: (event) => {
          if (event.kind === 'stage') say(`  generation ${event.generation}: ${event.stage}`);
        },
      });
      if (folder !== null && !args.write) say(`\n${readFileSync(join(docs, 'ablations.md'), 'utf8')}`);
    } finally {
      await server.stop();
    }
  } finally {
    stop.dispose();
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

function studyOf({ diagnostics }: AblateArguments, preset: string): Study {
  return diagnostics === null ? mechanismStudy(preset) : diagnosticStudy(preset, diagnostics);
}

function allStudies(): Study[] {
  return presetNames().flatMap((preset) => [
    mechanismStudy(preset),
    ...DIAGNOSTICS.map((name) => diagnosticStudy(preset, name)),
  ]);
}

function machine() {
  return {
    cpu: cpus()[0]?.model ?? process.arch,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
  };
}

function versions({ describe }: Backend): Record<string, string> {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
  const { library, version: libraryVersion, tfjs } = describe;
  return { product: version, node: process.version, library, libraryVersion, tfjs };
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Interrupted) {
    console.error('stopped; the same command goes on');
    process.exitCode = INTERRUPTED;
  } else {
    const what = error instanceof Error ? error.message : String(error);
    console.error(process.env['RSI_DEBUG'] ? error : `ablate: ${what.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
    process.exitCode = error instanceof Failure && error.boundary === 'config' ? 2 : 1;
  }
}
// Threads and native handles may still be open: the process ends here, with everything stored.
process.exit();
