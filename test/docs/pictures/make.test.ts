import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { startSystem } from '../../support/system.ts';
import { makeShop, spreadSessions } from './shop.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const MAX_BYTES = 100_000;
/** For WebP; text is still sharp. */
const QUALITY = 82;

/** `npm run docs:pictures` writes them; they are looked at before they are committed. */
test.skipIf(!process.env.WORKTRACK_PICTURES)(
  'the pictures of the documentation are made',
  { timeout: 300_000 },
  async () => {
    const system = await startSystem();
    const browser = await launchChromium();
    try {
      const organization = await system.newOrganization();
      const epic = await makeShop(organization);
      await spreadSessions(system.urls.mongodb, system.databasePrefix);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
      const { origin } = new URL(system.baseUrl);
      const signedIn = await context.request.post(`${origin}/console/session`, {
        data: { apiKey: organization.apiKey },
        headers: { origin, 'sec-fetch-site': 'same-origin' },
      });
      expect(signedIn.status()).toBe(204);
      const page = await context.newPage();
      const show = async (path: string, text: string, colorScheme: 'light' | 'dark' = 'light') => {
        await page.emulateMedia({ colorScheme });
        await page.goto(`${origin}/console/${path}`);
        await page.getByText(text).first().waitFor();
        await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      };
      await show('board?type=task', 'Use the tokens in the cart');
      await keep(page, 'board');
      await show(`plan/${epic.taskId}`, 'Critical path, ');
      await keep(page, 'plan');
      await show('agents', 'Should the choice be saved', 'dark');
      await keep(page, 'agents');
      await show('inbox', 'far too bright');
      await keep(page, 'inbox');
      await show('costs', 'By model', 'dark');
      await page.getByText('A dark theme for the shop').first().waitFor();
      await keep(page, 'costs');
    } finally {
      await browser.close();
      await system.stop();
    }
  },
);

async function keep(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const picture = Buffer.from(data, 'base64');
  expect(picture.length, name).toBeLessThanOrEqual(MAX_BYTES);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.webp`), picture);
}
