import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { startBenchSystem } from '../support/system.ts';

export type System = Awaited<ReturnType<typeof startBenchSystem>>;

/** Where people would open the console: by this name a cookie is taken without TLS. */
export function originOf({ gateways }: System): string {
  const url = new URL(gateways[0] as string);
  url.hostname = 'localhost';
  return url.origin;
}

/** A browser profile of its own, with an empty cache, that is signed in. */
export async function signIn(browser: Browser, system: System): Promise<BrowserContext> {
  const origin = originOf(system);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const answer = await context.request.post(`${origin}/console/session`, {
    data: { apiKey: system.apiKey },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  });
  if (!answer.ok()) throw new Error(await answer.text());
  return context;
}

/** @returns milliseconds from the beginning of the navigation until every column has what it shows first, and that is painted */
export function untilPainted(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const isThere = document.querySelector('.card') && !document.querySelector('.board .state-loading');
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
