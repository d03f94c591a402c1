/** A client of the Temporal server that TEMPORAL_ADDRESS names, or that this home folder's stack has started. */
import { Client, Connection } from '@temporalio/client';
import { Failure } from '../contracts/failures.ts';
import { homeOf, namespaceOf } from './settings.ts';
import { pageOf, readStack } from './stack.ts';
import { openTracing } from './tracing.ts';
import type { RunHandle } from './launch-run.ts';
import type { trainRun } from '../workflows/train-run.ts';

export interface OpenedClient {
  readonly client: Client;
  readonly address: string;
  /** Page of a workflow in the Web UI; null where no UI is known of. */
  readonly linkTo: (workflowId: string) => string | null;
  /** Nothing is asked any more; what was noted of it is handed on. */
  readonly close: () => Promise<void>;
}

export async function openClient(env: NodeJS.ProcessEnv = process.env): Promise<OpenedClient> {
  const stack = readStack(homeOf(env));
  const given = env['TEMPORAL_ADDRESS'];
  const address = given || stack?.address;
  if (address === undefined) {
    throw new Failure('config', 'nothing is running in this folder; start it with `rsi up`, or set TEMPORAL_ADDRESS');
  }
  const namespace = given ? namespaceOf(env) : (stack?.namespace ?? 'default');
  const uiUrl = given ? null : (stack?.uiUrl ?? null);
  try {
    const connection = await Connection.connect({ address, connectTimeout: 5_000 });
    const tracing = await openTracing('cli', env);
    return {
      address,
      client: new Client({ connection, namespace, plugins: [tracing.plugin] }),
      linkTo: (id) => pageOf({ uiUrl, namespace }, id),
      // The connection goes with the process: a question that is tried again on a closed one would end it by an error.
      close: () => tracing.close(),
    };
  } catch (error) {
    const problem = `Temporal at ${address} does not answer; start it (\`rsi up\`) or correct TEMPORAL_ADDRESS`;
    throw new Failure('storage', problem, { subject: address, cause: error });
  }
}

/** The newest execution of a run; refuses a name that no run has. */
export async function findRunHandle(client: Client, workflowId: string): Promise<RunHandle> {
  const handle = client.workflow.getHandle<typeof trainRun>(workflowId);
  try {
    await handle.describe();
    return handle;
  } catch (error) {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
    throw new Failure('config', `there is no run '${workflowId}'; \`rsi runs\` lists them`, { subject: workflowId });
  }
}
