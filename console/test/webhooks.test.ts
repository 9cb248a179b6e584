import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStage } from './support/stage.ts';

/** axe takes seconds for each state that is checked on a busy machine. */
vi.setConfig({ testTimeout: 240_000 });

const stage = openStage();

/** The ids of the events that the endpoint was sent, and what it answers. */
const heard: string[] = [];
let status = 204;
const endpoint = createServer((request, response) => {
  heard.push(String(request.headers['webhook-id']));
  request.resume().on('end', () => response.writeHead(status).end(status === 204 ? undefined : 'Not today'));
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  endpoint.close();
  endpoint.closeAllConnections();
});

const webhooks = async () => (await stage.organization.call<Webhook[]>('GET', '/api/webhooks')).data;

test('a webhook is created and its secret shown once; deliveries are listed, tested and sent again', async () => {
  const visitor = await stage.visit('settings/webhooks');
  const { page } = visitor;
  await page.getByText('There is no webhook yet.').waitFor();
  await visitor.isGood('settings-webhooks-empty');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Description').fill('Chat of the team');
  await page.getByLabel('Everything').uncheck();
  await page.getByLabel('Work items').check();
  await page.getByLabel('Single types').fill('key.created');
  await visitor.isGood('settings-new-webhook');
  await page.getByRole('button', { name: 'Create' }).click();
  const shown = page.getByRole('dialog').locator('pre');
  await shown.waitFor();
  expect(await shown.textContent()).toMatch(/^whsec_/);
  await visitor.isGood('settings-webhook-secret');
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await webhooks()).toMatchObject([{ url, types: ['work_item.*', 'key.created'] }]);

  const { boardId, projectId, call } = stage.organization;
  const task = { type: 'task', title: 'Told to the webhook', projectId, boardId, boardColumnId: 'Backlog' };
  await call('POST', '/api/work-items', task);
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBeGreaterThan(0);
  const [sent] = heard;
  await page.getByRole('link', { name: `Deliveries to ${url}` }).click();
  await page.getByRole('heading', { name: 'work_item.created' }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test was taken: 204').waitFor();
  status = 500;
  await page.getByRole('button', { name: 'Send a test' }).press('Enter');
  await page.getByText('The test failed:').waitFor();
  await page.getByText('Its answer').first().click();
  await page.getByText('Not today').waitFor();
  await visitor.isGood('settings-deliveries');
  status = 204;
  await page
    .getByRole('button', { name: /Send again: Event/ })
    .last()
    .press('Enter');
  await page.getByText('1 event is sent again.').waitFor();
  // With the id that it had.
  await expect.poll(() => heard.filter((id) => id === sent).length, { timeout: 60_000 }).toBeGreaterThan(1);
  await page.getByLabel('State', { exact: true }).selectOption({ label: 'Failed' });
  const types = () => page.getByRole('heading', { level: 2 }).allTextContents();
  await expect.poll(types).toEqual(['webhook.test']);
  expect(page.url()).toContain('state=failed');
});

test('a webhook is changed, given a new secret, disabled and deleted, with the keyboard alone', async () => {
  const [webhook] = await webhooks();
  if (!webhook) throw new Error('There is no webhook.');
  const visitor = await stage.visit('settings/webhooks');
  const { page } = visitor;
  const choose = async (item: string) => {
    await page.getByRole('button', { name: `More for ${url}` }).press('Enter');
    await page.getByRole('menuitem', { name: item }).press('Enter');
  };
  await choose('Edit');
  await page.getByLabel('Description').fill('Another chat');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('Another chat').waitFor();
  await choose('New secret');
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).press('Enter');
  await page.getByText('Your endpoint verifies with it what it is sent.').waitFor();
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  await choose('Disable');
  await page.getByText('by hand').waitFor();
  await visitor.isGood('settings-webhooks');
  expect(await webhooks()).toMatchObject([{ enabled: false, description: 'Another chat', types: webhook.types }]);
  await choose('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText('There is no webhook yet.').waitFor();
  expect(await webhooks()).toEqual([]);
});

test('a user who may only read webhooks can only look at them; one who may not, not even that', async () => {
  const { call } = stage.organization;
  await call('POST', '/api/webhooks', { url });
  const keyWith = async (permissions: Permission[]) => {
    const { data } = await call<{ key: string }>('POST', '/api/api-keys', { name: 'A reader', permissions });
    return data.key;
  };
  const reader = await stage.visit('settings', { apiKey: await keyWith(['webhooks:read']) });
  await reader.page.getByRole('link', { name: `Deliveries to ${url}` }).waitFor();
  expect(await reader.page.getByRole('main').getByRole('button').count()).toBe(0);
  await reader.page.getByRole('link', { name: `Deliveries to ${url}` }).click();
  await reader.page.getByRole('button', { name: 'Refresh' }).waitFor();
  expect(await reader.page.getByRole('main').getByRole('button').allTextContents()).toEqual(['Refresh']);
  const other = await stage.visit('settings/webhooks', { apiKey: await keyWith(['users:read']) });
  await other.page.getByText('There is nothing here').waitFor();
  expect(await other.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
});
