import type { Browser, BrowserContext, Page } from 'playwright-core';
import { signIn } from '../../test/support/sign-in.ts';
import type { System } from '../support/system.ts';

/** Where people would open the console: by this name a cookie is taken without TLS. */
export function originOf({ gateways }: System): string {
  const url = new URL(gateways[0] as string);
  url.hostname = 'localhost';
  return url.origin;
}

/** A browser profile of its own, with an empty cache, that is signed in. */
export async function newVisitor(browser: Browser, system: System): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await signIn(context, originOf(system), system.apiKey);
  return context;
}

/** @returns milliseconds from the beginning of the navigation until the board or the list has what it shows first, and that is painted */
export function untilPainted(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const isThere =
            document.querySelector('.card, .list-row') && !document.querySelector('#content .state-loading');
          if (!isThere) return requestAnimationFrame(look);
          // What is drawn in this frame is painted before the next task.
          const painted = new MessageChannel();
          painted.port1.onmessage = () => resolve(performance.now());
          return requestAnimationFrame(() => painted.port2.postMessage(undefined));
        };
        look();
      }),
  );
}
