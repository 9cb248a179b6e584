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
        const { borderTopColor, borderTopWidth, backgroundColor } = getComputedStyle(each);
        return [borderTopColor, borderTopWidth, backgroundColor].join();
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
