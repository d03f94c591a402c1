/**
 * A small stand-in for everything that provisioning touches: a wheel of a few bytes, pip and g++ as scripts, and a
 * tfjs-node-gpu package whose maths is tfjs's own. Nothing is fetched or compiled, and the real cache stays alone.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { provisionNative, type NativeResult, type ProvisionOptions } from '../../infra/native.ts';
import type { WheelSource } from '../../infra/native/sources.ts';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

export interface Sandbox {
  readonly root: string;
  readonly packageRoot: string;
  readonly source: WheelSource;
  readonly env: NodeJS.ProcessEnv;
  readonly cacheRoot: string;
  /** What was logged. */
  readonly lines: string[];
  /** Writes an executable script of JavaScript onto the sandbox's PATH. */
  tool(name: string, code: string): Promise<void>;
  removeTool(name: string): Promise<void>;
  provision(options?: Partial<ProvisionOptions>): Promise<NativeResult>;
}

/** pip: answers --version; `download` copies the wheel to --dest. g++: writes its name into the -o file. */
export const PIP = `
const args = process.argv.slice(2);
if (args.includes('--version')) process.exit(0);
require('fs').copyFileSync(process.env.FAKE_WHEEL, require('path').join(args[args.indexOf('--dest') + 1], 'tiny-1.0-any.whl'));
`;
export const COMPILER = `
const args = process.argv.slice(2);
require('fs').appendFileSync(process.env.FAKE_LOG, 'g++\\n');
require('fs').writeFileSync(args[args.indexOf('-o') + 1], 'addon');
`;

export async function makeSandbox(t: TestContext): Promise<Sandbox> {
  const root = mkdtempSync(join(tmpdir(), 'rsi-native-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const bin = join(root, 'bin');
  const wheel = zip(WHEEL_MEMBERS);
  await mkdir(bin);
  await writeFile(join(root, 'tiny.whl'), wheel);
  await writeFile(join(root, 'calls'), '');
  await mkdir(join(root, 'headers', 'include', 'node'), { recursive: true });
  await writeFile(join(root, 'headers', 'include', 'node', 'node_api.h'), '');
  const packageRoot = await makePackage(root);
  const env = {
    PATH: bin,
    HOME: root,
    XDG_CACHE_HOME: join(root, 'cache'),
    npm_config_nodedir: join(root, 'headers'),
    FAKE_WHEEL: join(root, 'tiny.whl'),
    FAKE_LOG: join(root, 'calls'),
  };
  const lines: string[] = [];
  const source = sourceOf(wheel);
  const tool = (name: string, code: string) =>
    writeFile(join(bin, name), `#!${process.execPath}\n${code}`, { mode: 0o755 });
  await tool('pip', PIP);
  await tool('g++', COMPILER);
  return {
    ...{ root, packageRoot, source, env, lines, tool },
    cacheRoot: join(root, 'cache', 'terminal-rsi', 'native'),
    removeTool: (name) => rm(join(bin, name)),
    provision: (options) =>
      provisionNative({
        env,
        packageRoot,
        sources: [source],
        log: (line) => lines.push(line),
        timeout: 30_000,
        ...options,
      }),
  };
}

const WHEEL_MEMBERS: Readonly<Record<string, string>> = {
  'tensorflow/libtensorflow_cc.so.2': 'library '.repeat(1000),
  'tensorflow/libtensorflow_framework.so.2': 'framework',
  'tensorflow/include/tensorflow/c/c_api.h': '// header',
  'tensorflow/include/tensorflow/c/empty.h': '',
  'tensorflow/python/not_needed.py': 'pass',
};

function sourceOf(wheel: Buffer): WheelSource {
  return {
    kind: 'wheels',
    id: 'tiny-1.0',
    version: '1.0',
    variant: 'cpu',
    libraries: ['tensorflow/libtensorflow_cc.so.2', 'tensorflow/libtensorflow_framework.so.2'],
    include: 'tensorflow/include',
    logSymbol: null,
    diskBytes: 1,
    pythonTag: { version: '3.11', abi: 'cp311' },
    platformTags: ['any'],
    wheels: [{ project: 'tiny', version: '1.0', sha256: createHash('sha256').update(wheel).digest('hex') }],
  };
}

/** Its main file loads only if the "addon" holds the word that the fake compiler writes. */
async function makePackage(root: string): Promise<string> {
  const packageRoot = join(root, 'node_modules', '@tensorflow', 'tfjs-node-gpu');
  const finder = join(root, 'node_modules', '@mapbox', 'node-pre-gyp');
  await mkdir(finder, { recursive: true });
  await writeFile(join(finder, 'index.js'), '');
  await cp(join(REPOSITORY, 'node_modules/@tensorflow/tfjs-node-gpu/binding'), join(packageRoot, 'binding'), {
    recursive: true,
  });
  await symlink(join(REPOSITORY, 'node_modules/@tensorflow/tfjs'), join(dirname(packageRoot), 'tfjs'));
  await writeFile(join(packageRoot, 'package.json'), '{"main":"index.js"}');
  await writeFile(
    join(packageRoot, 'index.js'),
    `const addon = require('fs').readFileSync(require('@mapbox/node-pre-gyp').find(), 'utf8');
     if (addon !== 'addon') throw new Error('bad addon');
     const tf = require('@tensorflow/tfjs');
     tf.env().set('IS_TEST', true);
     tf.setBackend('cpu');
     tf.backend().binding = { TF_Version: '1.0' };
     module.exports = tf;`,
  );
  return packageRoot;
}

/** The smallest zip writer that covers stored, deflated and empty members. */
export function zip(members: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(members)) {
    const packed = text.length > 100 ? deflateRawSync(text) : Buffer.from(text);
    const method = text.length > 100 ? 8 : 0;
    // An extra field of 4 bytes, as many tools write: its length differs between the two headers.
    const local = Buffer.alloc(30 + name.length + 4);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(4, 28);
    local.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE((0o100644 << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    locals.push(local, packed);
    directory.push(entry);
    offset += local.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
