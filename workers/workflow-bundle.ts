/**
 * The workflow code as one script, built before workers start and kept in the home folder under the digest of its
 * sources: a second start reads it in no time, and every worker of a start runs the very same code.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { silentTracing } from './tracing.ts';

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
/** All that may be in the bundle: workflows, and by value contracts and the story of the recursion. */
const SOURCES = ['../workflows/', '../contracts/', '../training/recursion.ts'];

/** What the code comes with: the runtime, and the interceptors that carry traces. */
const PACKAGES = ['@temporalio/worker', '@temporalio/interceptors-opentelemetry-v2', '@opentelemetry/sdk-trace-base'];

/** Returns the path of the bundle. */
export async function buildWorkflowBundle(home: string): Promise<string> {
  const folder = join(home, 'cache');
  const path = join(folder, `workflows-${bundleDigest(PACKAGES.map(versionOf)).slice(0, 16)}.js`);
  try {
    readFileSync(path);
    return path;
  } catch {
    // Not built yet.
  }
  const { code } = await bundleWorkflowCode({
    ...{ workflowsPath: WORKFLOWS, logger: new DefaultLogger('WARN') },
    plugins: [silentTracing()],
  });
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) if (/^workflows-[0-9a-f]+\.js$/.test(old)) rmSync(join(folder, old));
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, path);
  return path;
}

/** Of sources and versions: what changes the bundle changes its name. */
export function bundleDigest(versions: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(versions));
  for (const source of SOURCES) {
    const path = fileURLToPath(new URL(source, import.meta.url));
    for (const file of source.endsWith('/') ? filesBelow(path) : [path]) hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  return `${name} ${(require(`${name}/package.json`) as { version: string }).version}`;
}

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => join(folder, file));
}
