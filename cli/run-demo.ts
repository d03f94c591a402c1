/**
 * The demo as a story: choose the backend, say every choice, run or go on, report. The command has refused bad options
 * by then. Everything that counts is in the run folder, so the same command after an interruption tells the story again and goes on.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Backend } from '../model/backend.ts';
import { Interrupted } from '../training/context.ts';
import { localRun } from '../training/local-run.ts';
import { duration, grouped } from '../viewer/format.ts';
import { textReport } from '../viewer/text-report.ts';
import { backendText, chooseBackend } from './choose-backend.ts';
import { EXIT } from './exit.ts';
import { openLocalSession, type LocalSession } from './local-session.ts';
import { planRun } from './progress/plan.ts';
import { openProgressView, type ProgressView } from './progress/view.ts';
import { buildReport, readReport, writeReport } from './report-files.ts';
import { claimRunFolder, defaultRunFolder, moveAside } from './run-folder.ts';
import { resolveConfig, type RunOptions } from './run-options.ts';
import { listenForStop } from './stop-signals.ts';

export interface DemoOptions extends RunOptions {
  readonly out?: string;
  readonly json?: string;
  readonly fresh?: boolean;
}

export async function runDemo(options: DemoOptions): Promise<number> {
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
    sayChoices(config, backend, session, options.preset, say);
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

function sayChoices(
  config: RunConfig,
  backend: Backend,
  { store, context }: LocalSession,
  preset: string,
  say: (line: string) => void,
): void {
  const { tokenizer } = context;
  const episodes = planRun(config).filter(
    ({ pace }) => pace !== 'fine-tune' && pace !== 'critic-fit' && pace !== 'policy-update',
  );
  const total = episodes.reduce((sum, { amount }) => sum + amount, 0);
  const { minutes } = config.stop;
  say(`backend    ${backendText(backend)}`);
  say(`sandbox    embedded bash, in-memory files, no network, ${threads(config.rollout.sandboxWorkers)}`);
  say(`tokenizer  built-in, ${tokenizer.vocabSize} tokens, ${tokenizer.digest.slice(0, 12)}`);
  say(
    `preset     ${config.preset}${config.preset !== preset && preset === 'demo' ? ' (on wasm the demo takes a smaller budget)' : ''}`,
  );
  say(`seed       ${config.seed}`);
  say(
    `budget     ${config.generations} generation${config.generations === 1 ? '' : 's'} of ${config.stages.join(', ')}; ` +
      `about ${grouped(total)} episodes${minutes === null ? '' : `; at most ${minutes} minutes`}`,
  );
  say(`folder     ${store.folder}`);
  for (const repair of store.repairs) say(`repaired   ${repair}`);
}

function threads(count: number): string {
  return count === 0 ? 'in this thread' : `${count} thread${count === 1 ? '' : 's'}`;
}
