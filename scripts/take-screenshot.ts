/**
 * Makes docs/ui-run.png: starts a stack of its own (or takes the one of RSI_HOME, when that is up), runs the preset smoke
 * and takes the page of the finished run with its details. `npx tsx scripts/take-screenshot.ts [FILE]`
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, openChromium } from './chromium.ts';
import { REPOSITORY } from './source-files.ts';

const VIEW = { width: 1280, height: 900 };
const WORKFLOW_ID = 'run-smoke';

const file = process.argv[2] ?? join(REPOSITORY, 'docs', 'ui-run.png');
const program = findChromium();
if (program === null) throw new Error('there is no Chromium; install it (Debian: chromium), or set CHROMIUM');
const own = process.env['RSI_HOME'] ? null : mkdtempSync(join(tmpdir(), 'rsi-screenshot-'));
// The database server is another user's, and has to reach its data.
if (own !== null) chmodSync(own, 0o755);

const up = rsi('up');
try {
  const page = await said(up, /^ +(http:.*)\/start-workflow\?/m);
  await said(up, /^(Up\.|It is up already\.)/m);
  const launched = rsi('launch', 'smoke', '--id', WORKFLOW_ID, '--watch');
  const [code] = (await once(launched, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the run ended with ${code}`);
  await take(`${page}/${WORKFLOW_ID}`, program);
  console.log(`${file} is the page of the run`);
} finally {
  up.kill('SIGINT');
  if (up.exitCode === null && up.signalCode === null) await once(up, 'close');
  if (own !== null) rmSync(own, { recursive: true, force: true });
}

function rsi(...args: string[]): ChildProcess {
  const command = ['--import', import.meta.resolve('tsx'), join(REPOSITORY, 'cli', 'main.ts'), ...args];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...(own === null ? {} : { RSI_HOME: own }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk: Buffer) => process.stdout.write(chunk));
  return child;
}

/** The first group of what is looked for, once the process has printed it. */
function said(child: ChildProcess, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = wanted.exec(text);
      if (found !== null) resolve(found[1] ?? '');
    });
    child.once('close', (code) => reject(new Error(`rsi up ended with ${code}`)));
  });
}

/** The tab with the details: the table of the generations, below the head of the run. */
async function take(url: string, executable: string): Promise<void> {
  const browser = await openChromium(executable);
  try {
    const page = await browser.newPage({ viewport: VIEW, timezoneId: 'UTC' });
    await page.goto(url);
    await page.locator('main').getByText('Completed', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'User Metadata' }).click();
    const details = page.locator('iframe');
    await details.contentFrame().locator('table').waitFor();
    // Fonts and the height of the frame come a moment later.
    await page.waitForTimeout(1_000);
    await details.scrollIntoViewIfNeeded();
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}
