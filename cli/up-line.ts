/** What `rsi up --json` says once everything is up: where it is, for a program that waits for it. */
import { withoutPassword } from '../infra/postgres/connect.ts';
import type { Stack } from '../workers/stack.ts';

export function upLine({
  how,
  pid,
  address,
  namespace,
  uiUrl,
  databaseUrl,
}: Omit<Stack, 'stop' | 'startedAt'>): string {
  return JSON.stringify({ how, pid, address, namespace, uiUrl, databaseUrl: withoutPassword(databaseUrl) });
}
