import type { Browser } from 'playwright-core';
import { type ChromiumOptions, launchChromiumIn } from './chromium-in.ts';
import { servers } from './servers.ts';

/** A browser whose files are where the run cleans up. */
export async function launchChromium(options?: ChromiumOptions): Promise<Browser> {
  return launchChromiumIn((await servers()).folder, options);
}
