/** The checks of `rsi doctor` about what durable runs need beside this program; nothing is started, made or changed. */
import { nameOf, probe } from '../infra/postgres/connect.ts';
import { embeddedVersion } from '../infra/postgres/binaries.ts';
import { CLI_VERSION, lookForBinary } from '../infra/temporal/binary.ts';
import { PORT, UI_PORT } from '../infra/temporal/dev-server.ts';
import { homeOf } from '../workers/settings.ts';
import { readStack } from '../workers/stack.ts';
import { finding, type Finding } from './finding.ts';
import { answersOn, isFree, pingDocker } from './reach.ts';

export const SERVICE_CHECKS: readonly (readonly [name: string, check: () => Finding | Promise<Finding>])[] = [
  ['temporal', temporal],
  ['postgres', postgres],
  ['ports', ports],
  ['docker', docker],
  ['browser', () => finding('browser', 'ok', 'none needed: reports are pages with everything in them')],
];

async function temporal(): Promise<Finding> {
  const given = process.env['TEMPORAL_ADDRESS'];
  if (given) {
    if (await answersOn(given)) return finding('temporal', 'ok', `${given} (TEMPORAL_ADDRESS) is reachable`);
    return finding('temporal', 'fail', `${given} (TEMPORAL_ADDRESS) is not reachable`, 'start it, or unset it to have one started'); // prettier-ignore
  }
  const found = lookForBinary();
  if (found.how !== 'to be made') {
    return finding('temporal', 'ok', `${found.path} (${found.how === 'path' ? 'on PATH' : 'cached'})`);
  }
  const detail = `no server program yet; the first start downloads CLI ${CLI_VERSION}`;
  if (found.go !== null) return finding('temporal', 'note', `${detail}, or compiles it with ${found.go} (minutes)`);
  const remedy = 'where downloads are barred: install the Temporal CLI or Go, or set TEMPORAL_ADDRESS';
  return finding('temporal', 'warn', `${detail}; there is no Go to compile it with`, remedy);
}

async function postgres(): Promise<Finding> {
  const given = process.env['DATABASE_URL'];
  if (given) {
    const error = await probe(given);
    if (error === null) return finding('postgres', 'ok', `${nameOf(given)} (DATABASE_URL) answers`);
    const reason = error.message || (error as { code?: string }).code;
    return finding(
      'postgres',
      'fail',
      `${nameOf(given)} (DATABASE_URL): ${reason}`,
      'start it, or correct DATABASE_URL',
    );
  }
  const version = embeddedVersion();
  if (version !== null) return finding('postgres', 'ok', `embedded PostgreSQL ${version}`);
  return finding('postgres', 'fail', 'no embedded PostgreSQL for this machine', 'run: npm ci, or set DATABASE_URL');
}

async function ports(): Promise<Finding> {
  const stack = readStack(homeOf());
  if (stack !== null) {
    const page = stack.uiUrl === null ? '' : `, Web UI ${stack.uiUrl}`;
    return finding('ports', 'ok', `up in this folder: Temporal ${stack.address}${page}`);
  }
  const taken: number[] = [];
  for (const port of [PORT, UI_PORT]) if (!(await isFree(port))) taken.push(port);
  if (taken.length === 0) return finding('ports', 'ok', `${PORT} (Temporal) and ${UI_PORT} (Web UI) are free`);
  return finding('ports', 'note', `${taken.join(' and ')} taken by another program; others will be used and said`);
}

async function docker(): Promise<Finding> {
  const { where, version, problem } = await pingDocker();
  if (version !== null) return finding('docker', 'ok', `${where} answers (API ${version}); not needed yet`);
  return finding('docker', 'note', `${where}: ${problem}; only sandboxes in Docker, which are to come, will need it`);
}
