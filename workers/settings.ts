/** What worker processes read from their environment; docs/operating.md lists it. All-in-one sets it for those it starts. */
import { join, resolve } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { metricsAddress } from './metrics-address.ts';

export interface WorkerSettings {
  /** Folder of databases, files, logs; `.rsi` of the working folder unless RSI_HOME says otherwise. */
  readonly home: string;
  readonly address: string;
  readonly namespace: string;
  readonly databaseUrl: string;
  readonly blobs: string;
  /** Silence after which a computing activity counts as dead. */
  readonly heartbeatSeconds: number;
  /** Where metrics are to be served; null: nowhere. */
  readonly metrics: string | null;
}

const HEARTBEAT_SECONDS = 20;

export function workerSettings(env: NodeJS.ProcessEnv = process.env): WorkerSettings {
  const home = homeOf(env);
  const databaseUrl = env['DATABASE_URL'];
  if (!databaseUrl) {
    throw new Failure('config', 'DATABASE_URL is not set; workers need the database that the others use', {
      subject: 'DATABASE_URL',
    });
  }
  return {
    home,
    address: env['TEMPORAL_ADDRESS'] || '127.0.0.1:7233',
    namespace: namespaceOf(env),
    databaseUrl,
    blobs: env['RSI_BLOBS'] || join(home, 'blobs'),
    heartbeatSeconds: numberOf(env, 'RSI_HEARTBEAT_SECONDS', HEARTBEAT_SECONDS, { min: 2, max: 30 }),
    metrics: metricsAddress(env),
  };
}

export function homeOf(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env['RSI_HOME'] || '.rsi');
}

export function namespaceOf(env: NodeJS.ProcessEnv = process.env): string {
  return env['TEMPORAL_NAMESPACE'] || 'default';
}

function numberOf(env: NodeJS.ProcessEnv, name: string, fallback: number, { min, max }: { min: number; max: number }) {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (value >= min && value <= max) return value;
  throw new Failure('config', `${name} is '${text}'; allowed: a number from ${min} to ${max}`, { subject: name });
}
