import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type ChromiumOptions, launchChromiumIn } from './chromium-in.ts';
import { servers } from './servers.ts';

/** A browser whose files are where the run cleans up. */
export async function launchChromium(options?: ChromiumOptions): Promise<Browser> {
  return launchChromiumIn((await servers()).folder, options);
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of all files that run in this process, for its start takes 0.7 s of CPU. Nobody closes it: it ends with the process. What one file leaves in it
 * is gone with the profiles (`newContext`) that the file closes.
 */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromiumIn(mkdtempSync(join(tmpdir(), 'browser-')));
  return shared;
}
