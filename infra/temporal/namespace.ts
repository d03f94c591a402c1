/** What a namespace needs for our runs: search attributes and a retention that outlasts a weekend. Idempotent. */
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { lineOf } from './failure.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

/** Histories are for looking; what counts is in the lineage, and an audit needs that alone. */
const RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;

/** IndexedValueType of the Temporal API. */
const TYPES = { Keyword: 2, Int: 3, Double: 4 } as const;

/** True when the frontend answers for the namespace within the time. */
export async function answers(address: string, namespace: string, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: Math.min(2_000, withinMs) });
      try {
        await connection.withDeadline(Date.now() + 2_000, () =>
          connection.workflowService.describeNamespace({ namespace }),
        );
        return true;
      } finally {
        await connection.close();
      }
    } catch {
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A server that is not ours may forbid it: then it is said what is missing, and whoever runs it registers it. */
export async function prepareNamespace(address: string, namespace: string, log: (line: string) => void): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await registerSearchAttributes(connection, namespace, log);
    await lengthenRetention(connection, namespace, log);
  } finally {
    await connection.close();
  }
}

async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  log: (line: string) => void,
): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(', ');
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPES[type]])),
    });
    log(`Temporal: registered search attributes ${names}`);
  } catch (error) {
    log(`Temporal: search attributes ${names} are missing and cannot be registered from here (${lineOf(error)})`);
  }
}

async function lengthenRetention(
  connection: Connection,
  namespace: string,
  log: (line: string) => void,
): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const now = config?.workflowExecutionRetentionTtl;
  if (now && tsToMs(now) >= RETENTION_DAYS * DAY_MS) return;
  try {
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION_DAYS * DAY_MS) },
    });
    log(`Temporal: closed runs stay visible for ${RETENTION_DAYS} days`);
  } catch (error) {
    log(`Temporal: the retention of namespace ${namespace} stays as it is (${lineOf(error)})`);
  }
}
