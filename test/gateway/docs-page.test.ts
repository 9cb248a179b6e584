import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { type System, sharedSystem } from '../support/system.ts';

/** A bound for what hangs: drawing the page, and scrolling through it, take a busy machine a minute. */
const TIMEOUT_MS = 300_000;

let system: System;
let browser: Browser;
/** Loaded once: that takes five seconds of CPU. */
let page: Page;
const complaints: string[] = [];
const asked: string[] = [];
beforeAll(async () => {
  [system, browser] = await Promise.all([sharedSystem(), launchChromium({ optimizes: true })]);
  page = await browser.newPage({ colorScheme: 'light' });
  page.setDefaultTimeout(TIMEOUT_MS);
  // These include violations of the content security policy.
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`));
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.goto(`${system.baseUrl}/docs`);
  await page.locator('.opblock').first().waitFor();
});
afterAll(() => browser.close());

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

/**
 * From the top, screen by screen, until the visitor is satisfied: of many operations, the page draws those in sight and some around them (Swagger UI
 * does so since 5.35).
 */
async function scrollUntil(page: Page, isEnough: () => Promise<boolean>): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  for (;;) {
    // What has come into sight is drawn in the next frame, and measured in the one after.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    if (await isEnough()) return;
    const isEnd = await page.evaluate('scrollY + innerHeight >= document.documentElement.scrollHeight - 1');
    if (isEnd) throw new Error('The page ends before that.');
    await page.evaluate('scrollBy(0, innerHeight)');
  }
}

async function scrolledTo(page: Page, path: string): Promise<Locator> {
  const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
  await scrollUntil(page, async () => (await block.count()) > 0);
  return block;
}

test('the API page shows every operation and lets a request be tried, without a complaint from the browser', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { apiKey, call } = await system.newOrganization();
  const { data: project } = await call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', {
    name: 'Docs',
  });
  const { data: board } = await call<{ columns: { id: string }[] }>('GET', `/api/boards/${project.defaultBoardId}`);
  const { data: item } = await call<{ id: string }>('POST', '/api/work-items', {
    title: 'First',
    type: 'task',
    boardId: project.defaultBoardId,
    boardColumnId: board.columns[0]?.id,
  });
  const { paths } = (await (await fetch(`${system.baseUrl}/openapi.json`)).json()) as OpenApi;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const drawn = new Set<string>();
  await scrollUntil(page, async () => {
    const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
    for (const id of ids) drawn.add(id);
    return drawn.size >= operations.length;
  });
  expect(drawn.size).toBe(operations.length);

  await page.locator('button.authorize').first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').fill(apiKey);
  await dialog.locator('button[type=submit]').click();
  await dialog.locator('.btn-done').click();

  const me = await scrolledTo(page, '/api/me');
  await me.locator('.opblock-summary-control').click();
  await me.locator('.execute').click();
  const answer = me.locator('.live-responses-table');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').last().textContent()).toContain('200');
  expect(await answer.locator('.response-col_description').last().textContent()).toContain('"success": true');

  // One with parameters and a body shows its form.
  const create = await scrolledTo(page, '/api/work-items/{workItemId}/move');
  await create.locator('.opblock-summary-control').click();
  await create.locator('textarea').waitFor();

  // Its path names an existing item, so that it works as it stands.
  const path = create.locator('tr', { hasText: 'workItemId' }).locator('input');
  await expect.poll(() => path.inputValue()).toBe(item.id);

  expect(complaints).toEqual([]);
  expect([...new Set(asked)]).toEqual([new URL(system.baseUrl).origin]);
});

test(
  'a phone shows the page without scrolling sideways, in its owner’s light or dark theme',
  async () => {
    await page.setViewportSize({ width: 375, height: 700 });
    const isDark = () => page.evaluate("document.documentElement.classList.contains('dark-mode')");
    const isWide = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(await isDark()).toBe(false);
    expect(await isWide()).toBe(0);
    for (const path of ['/api/work-items', '/api/work-items/{workItemId}/comments']) {
      const block = await scrolledTo(page, path);
      await block.locator('.opblock-summary-control').click();
      await block.locator('.opblock-body .responses-wrapper').last().waitFor();
      expect(await isWide()).toBe(0);
    }
    // What is open stays open.
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(isDark).toBe(true);
    expect(await isWide()).toBe(0);
  },
  TIMEOUT_MS,
);
