import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// What opens above a page, on a screen between a phone and a desk, in languages with longer words, and without spaces.

const stage = openStage();

async function fill(organization: TestOrganization) {
  const { call, projectId } = organization;
  await call('POST', `/api/projects/${projectId}/labels`, { name: 'Bug', colour: '#aa0000' });
  await call('PATCH', `/api/projects/${projectId}`, { templates: [{ name: 'Report', type: 'task' }] });
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 10 });
  await call('POST', '/api/users', { name: 'Grace Hopper', email: 'grace@example.com', role: 'member' });
  await call('POST', '/api/feedback/sources', { type: 'server', name: 'Shop', requireCaptcha: false });
  const types = ['work_item.updated'];
  await call('POST', '/api/webhooks', { url: 'https://hooks.example.com/a/long/address/of/it', types });
}

/** Where the first button of an entry opens a dialog, too. */
const OPEN_BY_ROW = ['keys', 'sources', 'project?part=labels', 'project?part=templates'];

/** Of the dialog on top: what of it cannot be read, reached or pressed. */
const faultsIn = (page: Page) =>
  page.evaluate(() => {
    const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
    if (!dialog) return ['There is none.'];
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const isCut = (part: HTMLElement) =>
      part.offsetWidth > 1 && getComputedStyle(part).overflowX !== 'visible' && part.scrollWidth > part.clientWidth + 1;
    const cut = [...dialog.querySelectorAll<HTMLElement>('h2, label, button, legend, p, .tag')].filter(isCut);
    return [
      ...(left < 0 || right > innerWidth || top < 0 || bottom > innerHeight ? ['It is not in the window.'] : []),
      ...(dialog.scrollWidth > dialog.clientWidth ? ['It is wider than it is.'] : []),
      ...(document.activeElement?.closest('dialog') !== dialog ? ['The focus is elsewhere.'] : []),
      ...cut.map(({ textContent }) => `Cut off: ${textContent}`),
    ];
  });

test.each(['tr-TR', 'ja-JP'])(
  'at 768 px, in %s, dialogs can be read and pressed, and so can what opens them, which has the focus again',
  async (locale) => {
    const organization = await stage.newOrganization();
    await fill(organization);
    const item = await createItem(organization, { title: 'Judged', boardColumnId: 'Review' });
    const viewport = { width: 768, height: 900 };
    const visitor = await stage.visit('board', { apiKey: organization.apiKey, locale, viewport });
    const { page } = visitor;
    const dialog = page.locator('dialog:modal');
    const found: string[] = [];
    let seen = 0;
    const look = async (what: string) => {
      await dialog.waitFor();
      await expect.poll(() => dialog.locator('.state-loading').count()).toBe(0);
      seen++;
      for (const fault of await faultsIn(page)) found.push(`${what}: ${fault}`);
      const folder = process.env.CONSOLE_SCREENSHOTS;
      if (folder) await page.screenshot({ path: `${folder}/dialog-${locale}-${seen}.png` });
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };

    await page.locator('.card').first().waitFor();
    for (const key of ['c', '?', 'Control+k']) {
      await page.keyboard.press(key);
      await look(key);
    }
    await page.goto(`${stage.url}/console/items/${item.taskId}`);
    await page.locator('[aria-keyshortcuts=x]').click();
    await look('send back');

    for (const section of ['users', 'webhooks', 'trust', ...OPEN_BY_ROW]) {
      await page.goto(`${stage.url}/console/settings/${section}`);
      await page.locator('.settings-section').waitFor();
      await expect.poll(() => page.locator('.state-loading').count()).toBe(0);
      const narrowest = await page
        .locator('.settings-row > div:first-child')
        .evaluateAll((rows) => Math.min(...rows.map((row) => row.getBoundingClientRect().width)));
      if (narrowest < 200) found.push(`${section}: a row has ${Math.round(narrowest)} px`);
      const opening = ['.settings-head > button', ...(OPEN_BY_ROW.includes(section) ? ['.settings-row button'] : [])];
      for (const selector of opening) {
        const button = page.locator(selector).first();
        await button.click();
        await look(`${section} ${await button.textContent()}`);
        await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
      }
    }
    expect(found).toEqual([]);
    expect(seen).toBe(15);
    expect(visitor.complaints).toEqual([]);
  },
);

test('a press beside a dialog closes it unless its form has been begun, and one on its scroll bar never does', async () => {
  const organization = await stage.newOrganization();
  const viewport = { width: 1280, height: 500 };
  const { page } = await stage.visit('settings/keys', { apiKey: organization.apiKey, viewport });
  const dialog = page.getByRole('dialog');
  const open = async () => {
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.waitFor();
  };
  await open();
  const { x, y, width } = (await dialog.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  // The browser of the tests draws none: there it would be, and what one presses then is the dialog itself.
  const at = { bubbles: true, clientX: x + width - 5, clientY: y + 50 };
  await dialog.evaluate((shown, init) => shown.dispatchEvent(new MouseEvent('mousedown', init)), at);
  expect(await dialog.count()).toBe(1);
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });

  await open();
  await dialog.getByLabel('Name').fill('Half a key');
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Create' }).focus();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Half a key');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
