/** Reports on a stored run: from its report.json if that is current, else by telling the run's story from its records. */
import { textReport } from '../viewer/text-report.ts';
import { EXIT } from './exit.ts';
import { Failure } from '../contracts/failures.ts';
import { openLocalSession } from './local-session.ts';
import { buildReport, readReport, writeReport } from './report-files.ts';
import { retell } from './retell.ts';
import { findRun, readRunConfig, requireWritableFile } from './run-folder.ts';

export interface ReportOptions {
  readonly out?: string;
  readonly json?: string;
}

export async function reportRun(run: string, options: ReportOptions): Promise<number> {
  const folder = findRun(run);
  const config = readRunConfig(folder);
  if (config === null) throw new Failure('config', `run folder ${folder} has no run.json to tell its configuration`);
  if (options.out !== undefined) requireWritableFile('--out', options.out);
  if (options.json !== undefined) requireWritableFile('--json', options.json);
  // A run that is under way may be looked at too.
  const session = await openLocalSession(config, folder, () => undefined, new AbortController().signal, {
    readOnly: true,
  });
  try {
    for (const repair of session.store.repairs) console.log(`damaged    ${repair}`);
    const stored = readReport(folder, await session.store.contentHead());
    const report = stored ?? (await buildReport(await retell(session.context), session));
    const page = writeReport(report, folder, { html: options.out, json: options.json });
    console.log(textReport(report, page));
    return EXIT.done;
  } finally {
    await session.close();
  }
}
