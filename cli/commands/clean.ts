/** `rsi clean`: removes what this folder's home holds: database, runs, stored files, logs. Caches of the user stay. */
import type { Command } from 'commander';
import { Failure } from '../../contracts/failures.ts';
import { EXIT } from '../exit.ts';

interface CleanOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const NOTE = `
Only what rsi has made is removed; links, other files and the folders around them stay, as do a database of
DATABASE_URL, a folder of RSI_BLOBS elsewhere, and what is kept in the user's cache for the next start.`;

export function addCleanCommand(program: Command, done: (code: number) => void): Command {
  return program
    .command('clean')
    .description('remove the runs, database, files and logs of this folder')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON; needs --yes')
    .addHelpText('after', NOTE)
    .action(async (options: CleanOptions) => done(await clean(options)));
}

async function clean({ yes = false, json = false }: CleanOptions): Promise<number> {
  const { homeOf } = await import('../../workers/settings.ts');
  const { elsewhereOf } = await import('../../infra/postgres/data-folder.ts');
  const { surveyHome } = await import('../clean/survey.ts');
  const { surveyLines } = await import('../clean/survey-text.ts');
  const { removeAll } = await import('../clean/remove.ts');
  const home = homeOf();
  const elsewhere = elsewhereOf(home);
  await refuseWhileUp(home, elsewhere);
  const survey = surveyHome(home, elsewhere);
  if (!json) console.log(surveyLines(home, survey).join('\n'));
  if (survey.removals.length === 0) {
    if (json) console.log(JSON.stringify({ home, removed: [], kept: survey.kept }));
    return EXIT.done;
  }
  if (!yes && (json || !process.stdin.isTTY)) {
    throw new Failure('config', 'nothing was removed: there is no terminal to ask on; --yes removes without asking');
  }
  if (!yes) {
    const { askYes } = await import('../ask-yes.ts');
    if (!(await askYes('Remove?'))) {
      console.log('Nothing was removed.');
      return EXIT.failed;
    }
    // Whoever was asked may have started something meanwhile.
    await refuseWhileUp(home, elsewhere);
  }
  const left = removeAll(survey.removals);
  if (json) console.log(JSON.stringify({ home, removed: survey.parts, kept: survey.kept }));
  else console.log(left.includes(home) ? `Removed; ${home} stays for what else it holds.` : 'Removed.');
  return EXIT.done;
}

async function refuseWhileUp(home: string, elsewhere: string): Promise<void> {
  const { whatIsUp } = await import('../clean/in-use.ts');
  const up = whatIsUp(home, elsewhere);
  if (up !== null) throw new Failure('storage', up, { subject: home });
}
