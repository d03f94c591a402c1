/** Gets the pinned wheels through pip, so that a person's own index and proxy settings count, and unpacks what is needed. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, runCommand, tellingLine } from './command.ts';
import type { ProvisionContext } from './context.ts';
import { sha256File } from './digest.ts';
import { FetchFailure } from './failure.ts';
import type { Wheel, WheelSource } from './sources.ts';
import { extractZipEntry, listZip } from './zip.ts';

/** The C interface and what it includes; a hundredth of the headers in the wheel. */
const HEADERS = /^tensorflow\/include\/(tensorflow\/(c|core\/platform)|tsl\/platform|xla\/tsl\/c)\/.*\.h$/;
const LIBRARIES = /^(tensorflow\/libtensorflow[^/]*|nvidia\/[^/]+\/lib\/[^/]+|nvidia\/cuda_nvcc\/(bin|nvvm)\/.*[^/])$/;

/** Downloads into `folder`, and returns the wheels' paths once every digest is right. */
export async function downloadWheels(
  source: WheelSource,
  folder: string,
  context: ProvisionContext,
): Promise<string[]> {
  const pip = await findPip(context);
  await mkdir(folder, { recursive: true });
  const requirements = join(folder, 'requirements.txt');
  await writeFile(
    requirements,
    source.wheels.map((wheel) => `${requirement(wheel)} --hash=sha256:${wheel.sha256}\n`).join(''),
  );
  context.log(`Downloading ${source.wheels.map(requirement).join(', ')} with pip`);
  const [program = '', ...first] = pip;
  const { code, output } = await runCommand(program, [...first, ...pipArguments(source, requirements, folder)], {
    signal: context.signal,
    env: { ...context.env, PIP_REQUIRE_VIRTUALENV: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  });
  if (code !== 0) throw pipFailure(output, source);
  return checkWheels(source.wheels, folder);
}

/** Two parts, because the compiler can start on the headers while the libraries are still being unpacked. */
export async function unpackHeaders(wheels: readonly string[], root: string): Promise<void> {
  await unpack(wheels, HEADERS, root);
}

export async function unpackLibraries(wheels: readonly string[], root: string): Promise<void> {
  await unpack(wheels, LIBRARIES, root);
}

async function unpack(wheels: readonly string[], wanted: RegExp, root: string): Promise<void> {
  for (const wheel of wheels) {
    const entries = (await listZip(wheel)).filter((entry) => wanted.test(entry.name));
    await Promise.all(entries.map((entry) => extractZipEntry(wheel, entry, root)));
  }
}

function requirement(wheel: Wheel): string {
  return `${wheel.project}==${wheel.version}`;
}

function pipArguments(source: WheelSource, requirements: string, folder: string): string[] {
  const { version, abi } = source.pythonTag;
  return [
    ...['download', '--require-hashes', '--no-deps', '--only-binary', ':all:', '--no-input', '--no-cache-dir'],
    ...['--progress-bar', 'off', '--implementation', 'cp', '--python-version', version, '--abi', abi],
    ...source.platformTags.flatMap((tag) => ['--platform', tag]),
    ...['--dest', folder, '--requirement', requirements],
  ];
}

async function findPip(context: ProvisionContext): Promise<string[]> {
  const python = findProgram(['python3', 'python'], context.env);
  const pip = findProgram(['pip3', 'pip'], context.env);
  const choices = [...(python === null ? [] : [[python, '-m', 'pip']]), ...(pip === null ? [] : [[pip]])];
  for (const [program = '', ...args] of choices)
    if ((await runCommand(program, [...args, '--version'], context)).code === 0) return [program, ...args];
  throw new FetchFailure(
    python === null ? 'neither python3 nor pip is on the PATH' : 'python3 is there, but has no pip',
    'install pip (Debian: apt-get install python3-pip)',
  );
}

function pipFailure(output: string, source: WheelSource): FetchFailure {
  const names = source.wheels.map(requirement).join(', ');
  if (/DO NOT MATCH THE HASHES/i.test(output))
    return new FetchFailure(
      `the package index serves other bytes than the pinned ${names}`,
      'check which index pip uses (`pip config list`); a mirror may hold a damaged copy',
    );
  if (
    /No matching distribution|Could not find a version/i.test(output) &&
    !/connection|resolution|timed out/i.test(output)
  )
    return new FetchFailure(
      `the package index has no ${names} for this platform`,
      'check which index pip uses (`pip config list`), or upgrade pip',
    );
  if (/No space left/i.test(output)) return new FetchFailure('the disk is full', 'free some space and try again');
  if (/connection|resolution|timed? ?out|proxy|SSL/i.test(output))
    return new FetchFailure(
      'the package index cannot be reached',
      'check the network and pip settings, then try again',
    );
  return new FetchFailure(`pip failed: ${tellingLine(output)}`, `try by hand: pip download --no-deps ${names}`);
}

/** pip has compared the digests already; this does not depend on which pip it was. */
async function checkWheels(wheels: readonly Wheel[], folder: string): Promise<string[]> {
  const paths = (await readdir(folder)).filter((name) => name.endsWith('.whl')).map((name) => join(folder, name));
  const byDigest = new Map<string, string>();
  for (const path of paths) byDigest.set(await sha256File(path), path);
  const found: string[] = [];
  for (const wheel of wheels) {
    const path = byDigest.get(wheel.sha256);
    if (path === undefined)
      throw new FetchFailure(
        `the downloaded ${requirement(wheel)} does not have the pinned digest`,
        'check which index pip uses (`pip config list`); a mirror may hold a damaged copy',
      );
    found.push(path);
  }
  return found;
}
