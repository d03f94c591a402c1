/** Run as a process: a toy run in the given folder, a line per stored record; meant to be killed at any moment. */
import { localRun } from '../../training/local-run.ts';
import { resumeConfig } from './resume-config.ts';
import { withTinyContext } from './tiny-run.ts';

const [folder = ''] = process.argv.slice(2);
const head = await withTinyContext(
  resumeConfig(),
  { folder, report: (event) => event.kind === 'work' && console.log('work') },
  async (context) => (await localRun(context)).contentHead,
);
console.log(`head ${head}`);
