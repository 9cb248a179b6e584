import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose } from './support/choose.ts';
import { openStage } from './support/stage.ts';

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
  await page.getByText('There are no webhooks yet.').waitFor();
  await visitor.isGood('settings-webhooks-empty');
  await page.getByRole('button', { name: 'New webhook' }).click();
  // What is refused is said beside what it is about, where it is seen.
  await page.getByLabel('URL').fill('http://192.0.2.1/hook');
  await page.getByRole('button', { name: 'Create' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').getByText('Nothing was changed.', { exact: true }).waitFor();
  await dialog.getByText('This is no https address.').waitFor();
  expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
  expect(await page.locator('.toast').count()).toBe(0);
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Description').fill('Chat of the team');
  await page.getByLabel('Everything').uncheck();
  await page.getByLabel('Work items').check();
  await page.getByLabel('Individual types').fill('key.created');
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
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  const [sent] = heard;
  await page.getByRole('link', { name: `Deliveries to ${url}` }).click();
  await page.getByRole('heading', { name: 'work_item.created' }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test was accepted: 204').waitFor();
  status = 500;
  await page.getByRole('button', { name: 'Send a test' }).press('Enter');
  await page.getByText('The test failed:').waitFor();
  await page.getByText('Response', { exact: true }).first().click();
  await page.getByText('Not today').waitFor();
  await visitor.isGood('settings-deliveries');
  status = 204;
  await page
    .getByRole('button', { name: /Send again: Event/ })
    .last()
    .press('Enter');
  await page.getByText('1 event will be sent again.').waitFor();
  // With the id that it had.
  await expect.poll(() => heard.filter((id) => id === sent).length).toBeGreaterThan(1);
  await choose(page, 'State', 'Failed');
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
  await page.getByText('Your endpoint uses it to verify what it receives.').waitFor();
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  await choose('Disable');
  await page.getByText('manually').waitFor();
  await visitor.isGood('settings-webhooks');
  expect(await webhooks()).toMatchObject([{ enabled: false, description: 'Another chat', types: webhook.types }]);
  await choose('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText('There are no webhooks yet.').waitFor();
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

test.each([
  ['de-DE', 'Neuer Webhook'],
  ['tr-TR', 'Yeni webhook'],
  ['ja-JP', '新しい Webhook'],
])('webhooks and the form of one are in the visitor’s language, and fit: %s', async (locale, newWebhook) => {
  const { apiKey, call } = await stage.newOrganization();
  await call('POST', '/api/webhooks', { url });
  const visitor = await stage.visit('settings/webhooks', { apiKey, locale });
  const { page } = visitor;
  await page.getByRole('listitem').getByText(url).waitFor();
  await visitor.isGood(`settings-webhooks-${locale}`);
  await page.getByRole('button', { name: newWebhook }).click();
  await visitor.isGood(`settings-new-webhook-${locale}`);
  const english = await stage.visit('settings/webhooks', { apiKey });
  await english.page.getByRole('button', { name: 'New webhook' }).click();
  const saidIn = (form: Page) => form.getByRole('dialog').locator('h2, p, label, legend, .button').allTextContents();
  const inEnglish = new Set(await saidIn(english.page));
  expect(inEnglish.size).toBeGreaterThan(5);
  // These are the same in all of them.
  const isOwn = (text: string) => text.trim() !== '' && text !== 'URL';
  expect((await saidIn(page)).filter((text) => inEnglish.has(text) && isOwn(text))).toEqual([]);
});
