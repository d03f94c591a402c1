/**
 * Where a worker serves its metrics for Prometheus: RSI_METRICS names an address, `off` none. All-in-one looks for free
 * loopback ports and hands them out; a worker whose port was taken meanwhile looks for another one.
 */
import { createServer } from 'node:net';
import { Failure } from '../contracts/failures.ts';

/** Prometheus' own list of ports has 9464 for OpenTelemetry's exporters. */
const FIRST = '127.0.0.1:9464';

/** Null: none wanted. */
export function metricsAddress(env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env['RSI_METRICS'];
  if (given === undefined || given === '' || given === 'off') return null;
  const port = Number(/:(\d+)$/.exec(given)?.[1] ?? Number.NaN);
  if (port >= 1 && port <= 65_535) return given;
  const message = `RSI_METRICS is '${given}'; allowed: an address like ${FIRST}, or 'off'`;
  throw new Failure('config', message, { subject: 'RSI_METRICS' });
}

/** As many as there are names: consecutive ports where they are free. Null: RSI_METRICS is `off`. */
export async function metricsAddresses(
  names: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Map<string, string> | null> {
  if (env['RSI_METRICS'] === 'off') return null;
  const { host, port } = parts(metricsAddress(env) ?? FIRST);
  const addresses = new Map<string, string>();
  for (const [i, name] of names.entries()) addresses.set(name, await freeAddress(`${host}:${port + i}`));
  return addresses;
}

/** `wanted` if nobody has it, else one of the same host that the system picks. */
export async function freeAddress(wanted: string): Promise<string> {
  const { host, port } = parts(wanted);
  return `${host}:${(await tryPort(host, port)) ?? (await tryPort(host, 0)) ?? port}`;
}

function tryPort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

function parts(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
