/** Whether something listens: an address, a port of this machine, the socket of Docker. Seconds at most, no side effects. */
import { request } from 'node:http';
import { connect, createServer } from 'node:net';

const ANSWER_MS = 2_000;

/** "host:port" takes connections. */
export function answersOn(address: string): Promise<boolean> {
  const at = address.lastIndexOf(':');
  const socket = connect({ host: address.slice(0, Math.max(0, at)), port: Number(address.slice(at + 1)) || 7233 });
  socket.setTimeout(ANSWER_MS);
  return new Promise((resolve) => {
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

/** A port of the loopback address. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export interface DockerAnswer {
  readonly where: string;
  /** Of its interface; null when it does not answer. */
  readonly version: string | null;
  readonly problem: string | null;
}

const SOCKET = '/var/run/docker.sock';

export function pingDocker(host: string | undefined = process.env['DOCKER_HOST']): Promise<DockerAnswer> {
  const where = host || `unix://${SOCKET}`;
  const refuse = (problem: string): DockerAnswer => ({ where, version: null, problem });
  if (!/^(unix|tcp|http):\/\//.test(where)) return Promise.resolve(refuse('not looked at: neither unix:// nor tcp://'));
  const target = where.startsWith('unix://')
    ? { socketPath: where.slice('unix://'.length) }
    : { host: new URL(where).hostname, port: new URL(where).port || '2375' };
  return new Promise((resolve) => {
    const asked = request({ ...target, path: '/_ping', timeout: ANSWER_MS }, (answer) => {
      answer.resume();
      const version = answer.headers['api-version'];
      resolve(
        typeof version === 'string' ? { where, version, problem: null } : refuse('does not speak as Docker does'),
      );
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', (error: NodeJS.ErrnoException) => resolve(refuse(wordsFor(error))));
    asked.end();
  });
}

function wordsFor({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'not there';
  if (code === 'EACCES') return 'this user may not use it';
  return code ?? message;
}
