import type { Source } from '@worktrack/contracts/feedback/records';
import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// What is shown can be read for what it is, at any width.

const stage = openStage();
const PHONE = { width: 375, height: 812 };

test('a card names its agent in full beside a long lease', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Held' });
  const claim = { ids: [id], agent: 'refactoring-7', leaseSeconds: 3_600 };
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const beat = { leaseToken: data.lease.token, state: 'working', progress: 0.99 };
  await organization.call('POST', `/api/work-items/${id}/progress`, beat);
  const { page } = await stage.visit('board', {
    apiKey: organization.apiKey,
    locale: 'de-DE',
    viewport: { width: 1280, height: 800 },
  });
  const name = page.locator('.card').filter({ hasText: taskId }).locator('.card-agent-name');
  await name.getByText('refactoring-7').waitFor();
  expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});

test('on a phone, a list says of a bare number or date what it is, and nothing short is cut off in it', async () => {
  const organization = await stage.newOrganization();
  for (const name of ['design', 'documentation-of-everything']) {
    await organization.call('POST', `/api/projects/${organization.projectId}/labels`, { name, colour: '#aa0000' });
  }
  const labels = ['design', 'documentation-of-everything'];
  await createItem(organization, { title: 'Estimated', estimate: 3, labels });
  const visitor = await stage.visit('list', { apiKey: organization.apiKey, viewport: PHONE });
  const { page } = visitor;
  const estimate = page.locator('[data-cell=estimate]').first();
  await estimate.waitFor();
  const said = () => estimate.evaluate((element) => getComputedStyle(element, '::before').content);
  expect(await said()).toBe('"Estimate"');
  // A title in large letters is below the ID, if there is no room beside it.
  const zoom = (size: string) =>
    page.locator('html').evaluate((root, fontSize) => Object.assign(root.style, { fontSize }) && undefined, size);
  const cutOff = (text: string) =>
    page.getByText(text, { exact: true }).evaluate((part) => part.scrollWidth - part.clientWidth);
  await zoom('200%');
  expect(await cutOff('Estimated')).toBeLessThanOrEqual(0);
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Parent').waitFor();
  expect(await dialog.evaluate((inside) => inside.scrollWidth - inside.clientWidth)).toBeLessThanOrEqual(0);
  await page.keyboard.press('Escape');
  await zoom('');
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await said()).toBe('none');
  // A short label is not shortened for a long one.
  expect(await cutOff('design')).toBeLessThanOrEqual(0);
  await visitor.isGood('list-labels');
});

test('an idea of a submission is named once it is read, and never by its id', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Dark theme', type: 'idea' });
  const source = await organization.call<Source>('POST', '/api/feedback/sources', {
    type: 'server',
    name: 'Shop',
    requireCaptcha: false,
  });
  const { publicKey } = source.data;
  const url = `/feedback/widget/bootstrap?publicKey=${publicKey}`;
  const { token } = (await organization.call<{ token: string }>('GET', url)).data;
  const sent = { publicKey, token, message: 'Please a dark theme' };
  const submission = (await organization.call<{ id: string }>('POST', '/feedback/ingest', sent)).data;
  await organization.call('POST', `/api/feedback/items/${submission.id}/links`, { workItemId: id });
  const { page } = await stage.visit('for-you', { apiKey: organization.apiKey });
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/api/work-items/${id}`, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.goto(`${stage.url}/console/inbox?item=${submission.id}`);
  await asked.promise;
  const ideas = page.getByRole('article').locator('ul.plain');
  await ideas.getByText('Loading…').waitFor();
  expect(await page.getByText(id).count()).toBe(0);
  answered.resolve();
  await ideas.getByRole('link', { name: `${taskId} Dark theme` }).waitFor();
});

test('the current section of the settings stays in view when the window becomes narrow', async () => {
  const { page } = await stage.visit('settings/webhooks', { viewport: { width: 1280, height: 800 } });
  const current = page.locator('.settings-nav [aria-current]');
  await current.waitFor();
  await page.setViewportSize(PHONE);
  const isInView = () =>
    current.evaluate((entry) => {
      const { left, right } = entry.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
  await expect.poll(isInView).toBe(true);
});

test('the choices of gates are aligned with the first line of what they mean', async () => {
  const { page } = await stage.visit('settings/project', { viewport: PHONE });
  const choice = page
    .locator('label')
    .filter({ has: page.locator('input[type=radio]') })
    .first();
  await choice.waitFor();
  const apart = await choice.evaluate((label) => {
    const middleOf = (element: Element | null) => {
      const { top, bottom } = (element as Element).getBoundingClientRect();
      return (top + bottom) / 2;
    };
    return Math.abs(middleOf(label.querySelector('input')) - middleOf(label.querySelector('.settings-choice')));
  });
  expect(apart).toBeLessThan(4);
});

test('on a narrow phone, also in large letters, the names of the screens are whole, and nothing ends behind the button that creates', async () => {
  const organization = await stage.newOrganization();
  for (let at = 0; at < 9; at++) await createItem(organization, { title: `Number ${at}`, boardColumnId: 'Review' });
  for (const locale of ['en-GB', 'de-DE', 'tr-TR', 'ja-JP']) {
    const viewport = { width: 360, height: 740 };
    const { page } = await stage.visit('board', { apiKey: organization.apiKey, locale, viewport });
    await page.locator('html').evaluate((root) => Object.assign(root.style, { fontSize: '200%' }) && undefined);
    const names = page.locator('.frame-nav-name:visible');
    await expect.poll(() => names.count()).toBe(5);
    const cutOff = () =>
      names.evaluateAll((all) =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((name) => name.textContent),
      );
    await expect.poll(cutOff).toEqual([]);
    // The count of what needs one leaves its icon to be seen.
    const covered = () =>
      page.locator('.frame-nav-count').evaluate((count) => {
        const icon = count.parentElement?.querySelector('.icon')?.getBoundingClientRect() as DOMRect;
        return (icon.right - count.getBoundingClientRect().left) / icon.width;
      });
    expect(await covered()).toBeLessThan(0.4);
  }
  const { page } = await stage.visit('', { apiKey: organization.apiKey, viewport: { width: 360, height: 740 } });
  for (const [screen, entries] of [
    ['board', '[data-column]:has(.card) .card'],
    ['list', '.list-row'],
    ['for-you', '.for-you-entry'],
  ] as const) {
    for (const fontSize of ['100%', '200%']) {
      await page.goto(`${stage.url}/console/${screen}`);
      await page
        .locator('html')
        .evaluate((root, size) => Object.assign(root.style, { fontSize: size }) && undefined, fontSize);
      await page.locator(entries).first().waitFor();
      // Scrolled as far as it goes, whatever scrolls.
      const roomBelowLast = () =>
        page.evaluate((selector) => {
          const all = document.querySelectorAll(selector);
          for (let part = all[all.length - 1]?.parentElement; part; part = part.parentElement) part.scrollTop = 1e6;
          const { bottom } = (all[all.length - 1] as Element).getBoundingClientRect();
          const { top } = (document.querySelector('.frame-create') as Element).getBoundingClientRect();
          return Math.round(top - bottom);
        }, entries);
      await expect.poll(roomBelowLast, { message: `${screen} at ${fontSize}` }).toBeGreaterThanOrEqual(0);
      const isSeen = await page
        .locator(entries)
        .last()
        .evaluate((last) => last.getBoundingClientRect().bottom > 100);
      expect(isSeen, `${screen} at ${fontSize}`).toBe(true);
    }
  }
});

test('on a phone in large letters no screen scrolls sideways, and what an item is does not run under its menu', async () => {
  const organization = await stage.newOrganization();
  const parent = await createItem(organization, { title: 'A parent of some length', type: 'epic' });
  const { taskId } = await createItem(organization, { title: 'Short', parentId: parent.id });
  const viewport = { width: 375, height: 740 };
  const { page } = await stage.visit('', { apiKey: organization.apiKey, locale: 'de-DE', viewport });
  for (const [path, part] of [
    ['settings/apps', 'main code'],
    [`items/${taskId}`, '.item-trail > a'],
  ] as const) {
    await page.goto(`${stage.url}/console/${path}`);
    await page.locator(part).first().waitFor();
    await page.locator('html').evaluate((root) => Object.assign(root.style, { fontSize: '200%' }) && undefined);
    const tooWide = () => page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth);
    await expect.poll(tooWide, { message: path }).toBeLessThanOrEqual(0);
  }
  const besideMenu = await page.locator('.item-id').evaluate((id) => {
    const menu = document.querySelector('.item-bar button') as Element;
    return menu.getBoundingClientRect().left - id.getBoundingClientRect().right;
  });
  expect(besideMenu).toBeGreaterThanOrEqual(0);
});
