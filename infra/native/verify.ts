/** Tries an addon in a process of its own, because a bad one may crash: known products, known gradients. */
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { runCommand, tellingLine } from './command.ts';
import type { ProvisionContext } from './context.ts';
import { ProvisionFailure } from './failure.ts';

const CHILD = fileURLToPath(new URL('verify-child.ts', import.meta.url));

const reportSchema = v.object({ library: v.string(), device: v.picklist(['cpu', 'gpu']), wrong: v.array(v.string()) });

export type VerifyReport = v.InferOutput<typeof reportSchema>;

/** Resolves when the addon computes rightly. `hint` is the remedy when it does not. */
export async function verifyAddon(addon: string, hint: string, context: ProvisionContext): Promise<VerifyReport> {
  const tsx = import.meta.resolve('tsx');
  const { code, endedBy, output } = await runCommand(
    process.execPath,
    ['--import', tsx, CHILD, context.packageRoot, addon],
    {
      signal: context.signal,
      env: { ...context.env, TF_CPP_MIN_LOG_LEVEL: '2' },
    },
  );
  if (endedBy === 'SIGILL')
    throw new ProvisionFailure(
      'this CPU lacks instructions that libtensorflow needs (AVX)',
      'go on with the wasm backend',
    );
  const report = code === 0 ? parseReport(output) : null;
  if (report === null)
    throw new ProvisionFailure(
      `the addon does not load: ${endedBy === null ? tellingLine(output) : `its process was ended by ${endedBy}`}`,
      hint,
    );
  if (report.wrong.length > 0)
    throw new ProvisionFailure(`the addon computes wrongly: ${report.wrong.join(', ')}`, hint);
  return report;
}

function parseReport(output: string): VerifyReport | null {
  const line = output.split('\n').findLast((text) => text.startsWith('{'));
  try {
    return v.parse(reportSchema, JSON.parse(line ?? ''));
  } catch {
    return null;
  }
}
