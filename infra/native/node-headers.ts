/** Finds Node's C headers, of which the addon needs only node_api.h; N-API is stable, so any Node's will do. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ProvisionFailure } from './failure.ts';

export function findNodeHeaders(env: NodeJS.ProcessEnv, candidates = headerFolders(env)): string {
  const found = candidates.find((folder) => existsSync(join(folder, 'node_api.h')));
  if (found !== undefined) return found;
  throw new ProvisionFailure(
    "Node's C headers (node_api.h) are missing",
    'run `npx node-gyp install`, or install the headers of your Node package (Debian: libnode-dev)',
  );
}

/** Beside the node binary, then the system's folders, then what node-gyp has downloaded for this or another version. */
function headerFolders(env: NodeJS.ProcessEnv): string[] {
  const inside = (root: string) => join(root, 'include', 'node');
  const named = env['npm_config_nodedir'];
  return [
    ...(named === undefined ? [] : [inside(named)]),
    inside(resolve(dirname(process.execPath), '..')),
    '/usr/include/node',
    '/usr/local/include/node',
    ...nodeGypFolders(env).map(inside),
    ...headerPackage(),
  ];
}

function nodeGypFolders(env: NodeJS.ProcessEnv): string[] {
  const home = env['HOME'] ?? homedir();
  const cache =
    process.platform === 'darwin' ? join(home, 'Library', 'Caches') : (env['XDG_CACHE_HOME'] ?? join(home, '.cache'));
  const root = join(cache, 'node-gyp');
  try {
    return readdirSync(root).map((version) => join(root, version));
  } catch {
    return [];
  }
}

function headerPackage(): string[] {
  try {
    return [join(dirname(createRequire(import.meta.url).resolve('node-api-headers/package.json')), 'include')];
  } catch {
    return [];
  }
}
