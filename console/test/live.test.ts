import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const titlesIn = (page: Page, name: string) =>
  page.locator(`.column[aria-label^="${name},"] .card-title`).allTextContents();

test('what others do appears on the board and in the item as it happens', async () => {
  const { organization, stream } = stage;
  const first = await createItem(organization, { title: 'First' });
  const { page } = await stage.visit('board');
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['First']);

  const second = await createItem(organization, { title: 'Second' });
  stream.tell('work_item.created', second);
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['First', 'Second']);
  const moved = await organization.call<{ workItem: WorkItem }>('POST', `/api/work-items/${first.id}/move`, {
    boardColumnId: 'Review',
  });
  stream.tell('work_item.moved', moved.data.workItem);
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['First']);
  expect(await titlesIn(page, 'Backlog')).toEqual(['Second']);
  await page.locator('.column[aria-label="Backlog, 1 card"]').waitFor();

  await page.getByRole('link', { name: 'First' }).click();
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  const renamed = await organization.call<WorkItem>('PATCH', `/api/work-items/${first.id}`, { title: 'Renamed' });
  stream.tell('work_item.updated', renamed.data);
  await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
  await page.getByText('changed title').waitFor();
  await page.goBack();
  await organization.call('DELETE', `/api/work-items/${second.id}`);
  stream.tell('work_item.deleted', second);
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual([]);
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['Renamed']);
});

test('the tabs of a browser share one stream, and who takes it over goes on where it was', async () => {
  const { organization, stream } = stage;
  const before = stream.openStreams;
  const visitor = await stage.visit('board');
  await expect.poll(() => stream.openStreams).toBe(before + 1);
  const tab = await visitor.openTab('board');
  await tab.page.locator('.column').first().waitFor();
  const item = await createItem(organization, { title: 'Shared' });
  stream.tell('work_item.created', item);
  for (const { page } of [visitor, tab]) await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Shared');
  expect(stream.openStreams).toBe(before + 1);
  const asked = stream.asked.length;
  await visitor.page.close();
  await expect.poll(() => stream.asked.length).toBe(asked + 1);
  expect(stream.asked.at(-1)).not.toBe(null);
  const later = await createItem(organization, { title: 'Later' });
  stream.tell('work_item.created', later);
  await expect.poll(() => titlesIn(tab.page, 'Backlog')).toContain('Later');
});

test('a break is said, what is shown then is marked as old, and afterwards nothing is missing', async () => {
  const { organization, stream } = stage;
  const visitor = await stage.visit('board');
  const { page } = visitor;
  await page.locator('.column').first().waitFor();
  stream.tell('work_item.progress', await createItem(organization, { title: 'Known' }));
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Known');
  stream.goDown();
  await page.getByText('Disconnected since').waitFor();
  expect(await page.locator('main').getAttribute('class')).toBe('is-old');
  await visitor.isGood('board-disconnected');
  const missed = await createItem(organization, { title: 'Missed' });
  stream.tell('work_item.created', missed);
  stream.isDown = false;
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Missed');
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  expect(stream.asked.at(-1)).not.toBe(null);
});

test('where the log does not reach back, everything is read anew', async () => {
  const { organization, stream } = stage;
  const { page } = await stage.visit('board');
  await page.locator('.column').first().waitFor();
  stream.tell('work_item.progress', await createItem(organization, { title: 'Anchor' }));
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Anchor');
  stream.goDown();
  await page.getByText('Disconnected since').waitFor();
  await createItem(organization, { title: 'Forgotten' });
  stream.forget();
  stream.isDown = false;
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Forgotten');
});

test('of a long column only what is in view is drawn, and scrolling leads to its end', async () => {
  const organization = await stage.newOrganization();
  const count = 240;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  for (let from = 0; from < count; from += 24) {
    await Promise.all(numbers.slice(from, from + 24).map((n) => createItem(organization, { title: `Card ${n}` })));
  }
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  const column = page.locator(`.column[aria-label="Backlog, ${count} cards"]`);
  await column.waitFor();
  const seen = new Set<string>();
  const look = async () => {
    const titles = await column.locator('.card-title').allTextContents();
    expect(titles.length).toBeLessThan(60);
    for (const title of titles) seen.add(title);
    await column.locator('.column-cards').evaluate((element) => element.scrollBy(0, 400));
    return seen.size;
  };
  await expect.poll(look, { interval: 20, timeout: 60_000 }).toBe(count);
});
