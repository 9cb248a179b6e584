import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// On paper, and in the colours of the system.

const stage = openStage();

test('an item is printed to its end, on its own page and from the panel, without what is around it', async () => {
  const organization = await stage.newOrganization();
  const description = 'One line of many.\n\n'.repeat(120);
  const { taskId } = await createItem(organization, { title: 'Long', description: `${description}The end of it.` });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  for (const path of [`items/${taskId}`, `board?panel=${taskId}`]) {
    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${stage.url}/console/${path}`);
    const end = page.getByText('The end of it.');
    await end.waitFor();
    await page.emulateMedia({ media: 'print' });
    // What is cut off by something that scrolls is on no page.
    const isOnPaper = await end.evaluate((last) => {
      for (let part = last.parentElement; part && part !== document.documentElement; part = part.parentElement) {
        if (getComputedStyle(part).overflowY !== 'visible' && part.scrollHeight > part.clientHeight + 1) return false;
      }
      return last.getBoundingClientRect().bottom + scrollY <= document.documentElement.scrollHeight;
    });
    expect(isOnPaper, path).toBe(true);
    expect(await page.locator('.frame-nav').isVisible(), path).toBe(false);
    expect(await page.locator('.board').isVisible(), path).toBe(false);
  }
});

test('in the colours of the system, one sees what is chosen', async () => {
  const organization = await stage.newOrganization();
  for (const title of ['One', 'Two']) await createItem(organization, { title });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey, forcedColors: 'active' });
  const looks = (selector: string) =>
    page.locator(selector).evaluateAll((all) =>
      all.map((each) => {
        const { borderTopColor, borderTopWidth, backgroundColor, outline } = getComputedStyle(each);
        return [borderTopColor, borderTopWidth, backgroundColor, outline].join();
      }),
    );
  await page.getByRole('link', { name: /, One,/ }).focus();
  await page.keyboard.press('x');
  await page.locator('.card-selected').waitFor();
  const [selected] = await looks('.card-selected');
  expect(await looks('.card:not(.card-selected)')).not.toContain(selected);
  const [current] = await looks('.items-layouts > [aria-current]');
  expect(await looks('.items-layouts > :not([aria-current])')).not.toContain(current);
  await page.keyboard.press('Escape');
  await page.keyboard.press('c');
  const priority = page.getByRole('dialog').getByRole('combobox', { name: 'Priority' });
  await priority.press('ArrowDown');
  await page.locator('[role=option][aria-selected=true]').waitFor();
  const [at] = await looks('[role=option][aria-selected=true]');
  expect(await looks('[role=option]:not([aria-selected=true])')).not.toContain(at);
});

test('in the colours of the system, one sees how far work is, and can read what is chosen and what is offered first', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const { id } = await createItem(organization, { title: 'Held', boardColumnId: 'To Do' });
  const claim = { ids: [id], agent: 'one', leaseSeconds: 3_600 };
  const { data } = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  await call('POST', `/api/work-items/${id}/progress`, {
    leaseToken: data.lease.token,
    state: 'working',
    progress: 0.5,
  });
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 1 });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await stage.visit('board', { apiKey: organization.apiKey, forcedColors: 'active', colorScheme });
    const progress = page.locator('.card progress');
    expect(await colourAt(progress, 0.25)).not.toBe(await colourAt(progress, 0.75));
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Next');
    expect(await colours(dialog.getByRole('button', { name: 'Create' }).locator('text=Create'))).toBeGreaterThan(3);
    await dialog.getByRole('combobox', { name: 'Priority' }).press('ArrowDown');
    expect(await colours(page.locator('[role=option][aria-selected=true] .menu-label'))).toBeGreaterThan(3);
    await page.goto(`${stage.url}/console/settings/project`);
    const [chosen, other] = [true, false].map((checked) => page.getByRole('radio', { checked }));
    expect(await colourAt(chosen as Locator, 0.2)).not.toBe(await colourAt(other as Locator, 0.2));
  }
});

/** As painted: what the system does to colours is in no computed style. @returns rows of colours */
async function painted(place: Locator): Promise<number[][]> {
  const picture = (await place.screenshot({ animations: 'disabled' })).toString('base64');
  return place.page().evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!context) throw new Error('There is no canvas.');
    context.drawImage(bitmap, 0, 0);
    const colours = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
    return Array.from({ length: bitmap.height }, (_, row) => [
      ...colours.subarray(row * bitmap.width, (row + 1) * bitmap.width),
    ]);
  }, picture);
}

const colours = async (place: Locator) => new Set((await painted(place)).flat()).size;

/** In the middle of its height. */
async function colourAt(place: Locator, part: number): Promise<number | undefined> {
  const rows = await painted(place);
  const row = rows[Math.floor(rows.length / 2)];
  return row?.[Math.floor(row.length * part)];
}
