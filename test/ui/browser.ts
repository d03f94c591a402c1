/** A page in a headless Chromium for a test file; what a failing test saw is kept as a picture, named in its error. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findChromium, openChromium } from '../../scripts/chromium.ts';

export interface OpenedBrowser {
  /** Does the work on a page of its own. */
  onPage(work: (page: Page) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const VIEW = { width: 1280, height: 900 };
/** Of one step on a page; what takes longer says so. */
const STEP_MS = 20_000;

/** Null, and a loud line, where there is no Chromium. */
export async function openBrowser(): Promise<OpenedBrowser | null> {
  const program = findChromium();
  if (program === null) {
    console.error('SKIPPED: the Web UI is not tested: NO CHROMIUM; install it (Debian: chromium), or set CHROMIUM');
    return null;
  }
  const browser = await openChromium(program);
  return { close: () => browser.close(), onPage: (work) => onPage(browser, work) };
}

async function onPage(browser: Browser, work: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: VIEW, timezoneId: 'UTC' });
  page.setDefaultTimeout(STEP_MS);
  try {
    await work(page);
  } catch (error) {
    const picture = join(mkdtempSync(join(tmpdir(), 'rsi-ui-')), 'page.png');
    await page.screenshot({ path: picture, fullPage: true }).catch(() => undefined);
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}\nat ${page.url()}, as seen in ${picture}`, { cause: error });
  } finally {
    await page.close();
  }
}
