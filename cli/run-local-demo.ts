/**
 * The demo in one process as a story: choose the backend, say every choice, run or go on, report. The command has refused
 * bad options by then. Everything that counts is in the run folder, so the same command after an interruption tells the
 * story again and goes on.
 */
import { Interrupted } from '../training/context.ts';
import { localRun } from '../training/local-run.ts';
import { duration, grouped } from '../viewer/format.ts';
import { textReport } from '../viewer/text-report.ts';
import { backendText, chooseBackend } from './choose-backend.ts';
import { EXIT } from './exit.ts';
import { openLocalSession } from './local-session.ts';
import { openProgressView, type ProgressView } from './progress/view.ts';
import { buildReport, readReport, writeReport } from './report-files.ts';
import { claimRunFolder, defaultRunFolder, moveAside } from './run-folder.ts';
import { resolveConfig, type DemoOptions } from './run-options.ts';
import { sayChoices } from './say-choices.ts';
import { listenForStop } from '../infra/stop-signals.ts';

export async function runLocalDemo(options: DemoOptions): Promise<number> {
  const say = (line: string): void => console.log(line);
  const backend = await chooseBackend(say);
  const config = resolveConfig(options, backend.name);
  const folder = options.out ?? defaultRunFolder(config);
  const aside = options.fresh ? moveAside(folder) : null;
  if (aside !== null) say(`Moved the former run to ${aside}`);
  claimRunFolder(folder, config, backend.name);

  let view: ProgressView | null = null;
  const stop = listenForStop((line) => (view ?? { say }).say(line));
  const session = await openLocalSession(config, folder, (event) => view?.report(event), stop.signal);
  try {
    sayChoices({ config, preset: options.preset, backend: backendText(backend), say });
    say(`folder     ${session.store.folder}`);
    for (const repair of session.store.repairs) say(`repaired   ${repair}`);
    const stored = await session.store.list();
    const before = stored.at(-1)?.elapsed ?? 0;
    const finished = readReport(folder, await session.store.contentHead());
    if (finished !== null) {
      say('This run is finished; here is its result again (--fresh runs it anew).\n');
      say(textReport(finished, writeReport(finished, folder, options)));
      return EXIT.done;
    }
    if (stored.length > 0) say(`Going on from ${grouped(stored.length)} stored records (${duration(before)} of work)`);
    say('');
    view = openProgressView(config, before);
    const result = await localRun(session.context);
    view.close();
    const report = await buildReport(result, session);
    say(textReport(report, writeReport(report, folder, options)));
    return EXIT.done;
  } catch (error) {
    view?.close();
    if (!(error instanceof Interrupted)) throw error;
    console.error('stopped; the same command goes on');
    return EXIT.interrupted;
  } finally {
    stop.dispose();
    await session.close();
  }
}
