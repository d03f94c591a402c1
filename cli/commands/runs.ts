/** `rsi runs`: the durable runs that the server knows of, newest first. */
import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import { EXIT } from '../exit.ts';

interface RunLine {
  readonly workflowId: string;
  readonly status: string;
  readonly started: string;
  readonly run: number | null;
  readonly preset: string | null;
  readonly generation: number | null;
  readonly strictRate: number | null;
}

const MOST = 100;

export function addRunsCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('runs')
    .description('list the durable runs')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const { openClient } = await import('../../workers/open-client.ts');
      const { client, close } = await openClient();
      try {
        const lines = await listRuns(client);
        if (options.json) console.log(JSON.stringify(lines));
        else if (lines.length === 0) console.log('There are no runs yet; `rsi launch` starts one.');
        else for (const line of lines) console.log(textOf(line));
        done(EXIT.done);
      } finally {
        await close();
      }
    });
}

async function listRuns(client: Client): Promise<RunLine[]> {
  const lines: RunLine[] = [];
  for await (const { workflowId, status, startTime, searchAttributes } of client.workflow.list({
    query: `WorkflowType = 'trainRun'`,
  })) {
    // What was continued as new is told by the execution that went on.
    if (status.name === 'CONTINUED_AS_NEW') continue;
    const found = <T>(name: string): T | null => (searchAttributes[name]?.[0] as T | undefined) ?? null;
    lines.push({
      ...{ workflowId, status: found<string>('RsiStatus') ?? status.name.toLowerCase() },
      ...{ started: startTime.toISOString(), run: found('RsiRun'), preset: found('RsiPreset') },
      ...{ generation: found('RsiGeneration'), strictRate: found('RsiStrictRate') },
      ...(status.name === 'RUNNING' ? {} : { status: status.name.toLowerCase() }),
    });
    if (lines.length >= MOST) break;
  }
  return lines;
}

function textOf({ workflowId, status, started, preset, generation, strictRate }: RunLine): string {
  const rate = strictRate === null ? '' : `strict ${(100 * strictRate).toFixed(1)} %`;
  const parts = [status.padEnd(10), started.slice(0, 19), preset ?? '-', `generation ${generation ?? '-'}`, rate];
  return `${workflowId.padEnd(28)} ${parts.join('  ')}`.trimEnd();
}
