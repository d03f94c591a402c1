/**
 * A headless Chromium for pages of the Web UI: the one of CHROMIUM, else one that the system has. scripts/take-screenshot.ts
 * and the tests of the start form (test/ui) drive it.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const ARGS = [
  // Root in a container has no sandbox of its own, and there is no graphics card.
  ...['--no-sandbox', '--disable-gpu', '--disable-quic'],
  // It talks to the page alone.
  ...['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Null where there is none. CHROMIUM that names no program is an error: somebody wanted that one. */
export function findChromium(): string | null {
  const given = process.env['CHROMIUM'];
  if (given) {
    if (isProgram(given)) return given;
    throw new Error(`CHROMIUM is ${given}, which is no program; correct it, or unset it to have one looked for`);
  }
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)].filter((folder) => folder !== '');
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isProgram) ?? null;
}

/** With a profile of its own, gone when it is closed. */
export function openChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGS });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
