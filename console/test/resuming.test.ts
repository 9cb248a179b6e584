import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { TestProxy } from '../../libs/rpc/testing/proxy.ts';
import { forgetAllButTheLast } from '../../test/support/forget-events.ts';
import { startGateways } from '../../test/support/system.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// A gateway of its own: it is restarted.
let network: TestProxy;
const stage = openStage({
  start: () => startGateways(1),
  through: async (gateway) => {
    network = await TestProxy.to(gateway);
    return network.url;
  },
});
afterAll(async () => {
  await network?.close();
  await stage.system?.stop();
});

const titlesIn = (page: Page, name: string) =>
  page.locator(`.column[aria-label^="${name},"] .card-title`).allTextContents();
const gateway = () => {
  const [replica] = stage.system.services.of('gateway');
  if (!replica) throw new Error('There is no gateway.');
  return replica.part;
};

test('a page that is open while its gateway restarts says so, resumes where it was, and misses nothing', async () => {
  const { organization } = stage;
  const visitor = await stage.visit('board');
  const { page } = visitor;
  await page.locator('.column').first().waitFor();
  const item = await createItem(organization, { title: 'Before' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['Before']);
  await gateway().kill();
  await page.getByText('Disconnected since').waitFor();
  await gateway().restart();
  // This happens before the page is back.
  await organization.call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: 'Review' });
  await createItem(organization, { title: 'Meanwhile' });
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['Before']);
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['Meanwhile']);
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  expect(visitor.streams[0]).toBe('now');
  expect(visitor.streams.slice(1)).toContainEqual(expect.any(Number));
  expect(visitor.streams.slice(1)).not.toContain('now');
});

test('if the log does not reach back to where a page was, everything is read afresh', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.locator('.column').first().waitFor();
  await createItem(organization, { title: 'Known' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['Known']);
  network.cut({ stayDown: true });
  await page.getByText('Disconnected since').waitFor();
  const end = async () => (await organization.call<{ nextSeq: number }>('GET', '/api/events')).data.nextSeq;
  const before = await end();
  await createItem(organization, { title: 'Missed' });
  await createItem(organization, { title: 'Missed too' });
  // The first of them is dropped, so the page cannot continue where it was.
  await expect.poll(end).toBeGreaterThanOrEqual(before + 2);
  await forgetAllButTheLast(stage.system, organization.organizationId);
  network.restore();
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['Known', 'Missed', 'Missed too']);
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  expect(visitor.streams.at(-1)).toBe('now');
});
