import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { getNotificationSettings } from '@worktrack/contracts/events/notifications';
import type { listBrowsers } from '@worktrack/contracts/events/push';
import type { Output } from '@worktrack/contracts/operation';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();

const here = (page: Page) => page.getByRole('checkbox', { name: 'On this browser' });

/** What a browser gets of a push service, here of none that anything is sent to. */
function subscription() {
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  return { endpoint: `http://127.0.0.1:9/send/${randomUUID()}`, expirationTime: null, keys };
}

const idsOf = async ({ call }: TestOrganization) =>
  (await call<Output<typeof listBrowsers>>('GET', '/api/me/push')).data.subscriptions.map(({ id }) => id);

const languageOf = async ({ call }: TestOrganization) =>
  (await call<Output<typeof getNotificationSettings>>('GET', '/api/me/notifications')).data.language;

/** What the browser calls the worker of the console. */
async function registrationOf(devTools: CDPSession, page: Page): Promise<string> {
  const known = new Promise<string>((resolve) =>
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.endsWith('/console/'));
      if (own) resolve(own.registrationId);
    }),
  );
  await devTools.send('ServiceWorker.enable');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return known;
}

test('a browser that may not show notifications says so, and what to do', async () => {
  const visitor = await stage.visit('notifications', { permissions: [] });
  const { page } = visitor;
  await page.getByText('Allow them in its settings for this site.').waitFor();
  expect(await here(page).isDisabled()).toBe(true);
  await visitor.isGood('push-denied');
});

test('outside of HTTPS there is no push, and the switch says so', async () => {
  const visitor = await stage.visit('notifications');
  const { page } = visitor;
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await page.reload();
  await page.getByText('This browser shows no notifications here.').waitFor();
  expect(await here(page).isDisabled()).toBe(true);
});

/** The headless shell shows no notifications and says that they are denied, whatever it was granted: here the page gets the answer of a browser with a screen. */
async function visitAllowed(apiKey = stage.organization.apiKey): Promise<Visitor> {
  const visitor = await stage.visit('notifications', { apiKey, permissions: ['notifications'] });
  await visitor.page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'granted' }));
  await visitor.page.reload();
  return visitor;
}

/** The browser's own side of the worker's scope. */
interface WorkerScope {
  readonly asked: unknown[];
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: { openWindow(url: string): Promise<unknown> };
  readonly WindowClient: { readonly prototype: { readonly url: string; focus(): Promise<unknown> } };
}

/** What the worker asks of the browser is recorded: a headless one shows nothing, and only a person's click may open a page. */
async function record(worker: Worker): Promise<() => Promise<unknown[]>> {
  await worker.evaluate(() => {
    const asked: unknown[] = [];
    const scope = Object.assign(globalThis, { asked }) as unknown as WorkerScope;
    scope.registration.showNotification = async (title, options) => {
      asked.push({ title, ...options });
    };
    scope.clients.openWindow = async (path) => {
      asked.push(`open ${path}`);
    };
    scope.WindowClient.prototype.focus = async function focus(this: { readonly url: string }) {
      asked.push(`focus ${new URL(this.url).pathname}`);
    };
  });
  return () => worker.evaluate(() => (globalThis as unknown as WorkerScope).asked.splice(0));
}

test('where its push service cannot be reached the switch stays off; its worker shows what is pushed and opens the item', async () => {
  const visitor = await visitAllowed();
  const { page } = visitor;
  const context = page.context();
  const [worker] = await Promise.all([context.waitForEvent('serviceworker'), here(page).click()]);
  await page.getByText('Your browser’s push service does not answer.').waitFor();
  await expect.poll(() => here(page).isChecked()).toBe(false);
  // Chromium says that it has no push in what Playwright opens, a private window.
  visitor.complaints.splice(0);
  await visitor.isGood('push-unreachable');

  expect(new URL(worker.url()).pathname).toBe('/console/worker.js');
  const asked = await record(worker);
  const devTools = await context.newCDPSession(page);
  const registrationId = await registrationOf(devTools, page);
  const url = '/console/items/W-T-1';
  const shown = { title: 'W-T-1', body: 'you were mentioned', tag: 'a' };
  const data = JSON.stringify({ ...shown, url });
  await devTools.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data });
  await expect.poll(asked).toEqual([{ ...shown, data: url }]);

  const click = () =>
    worker.evaluate(async (path) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const notification = { data: path, close() {} };
      dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil: resolve }));
      await promise;
    }, url);
  await click();
  expect(await asked()).toEqual([`open ${url}`]);
  await visitor.openTab('items/W-T-1');
  await click();
  expect(await asked()).toEqual([`focus ${url}`]);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
});

test('this browser is switched on and off, another removed, and signing out ends it', async () => {
  const organization = await stage.newOrganization();
  const { expirationTime: _, ...ofAnother } = subscription();
  await organization.call('POST', '/api/me/push', ofAnother);
  const [another] = await idsOf(organization);
  const visitor = await visitAllowed(organization.apiKey);
  const { page } = visitor;
  // Where tests are, no push service is: the page gets what one would give.
  await page.addInitScript((given) => {
    PushManager.prototype.subscribe = async () => ({ toJSON: () => given }) as unknown as PushSubscription;
  }, subscription());
  await page.reload();
  await organization.call('PATCH', '/api/me/notifications', { language: 'ja' });
  await here(page).check();
  await expect.poll(async () => (await idsOf(organization)).length).toBe(2);
  await expect.poll(() => languageOf(organization)).toBe('en');
  const [own] = (await idsOf(organization)).filter((id) => id !== another);
  await page.reload();
  await expect.poll(() => here(page).isChecked()).toBe(true);
  await visitor.isGood('push-on');

  await page.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => idsOf(organization)).toEqual([own]);
  await here(page).uncheck();
  await expect.poll(() => idsOf(organization)).toEqual([]);
  const workers = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(await workers()).toBe(0);

  await here(page).check();
  await expect.poll(() => idsOf(organization)).toEqual([own]);
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  expect([await workers(), await idsOf(organization)]).toEqual([0, []]);
});

test('a browser whose push service ends its subscription subscribes again, and stays on', async () => {
  const organization = await stage.newOrganization();
  const visitor = await visitAllowed(organization.apiKey);
  const { page } = visitor;
  const [first, renewed] = [subscription(), subscription()];
  const subscribing = (given: typeof first) => {
    PushManager.prototype.subscribe = async () => ({ toJSON: () => given }) as unknown as PushSubscription;
  };
  await page.addInitScript(subscribing, first);
  await page.reload();
  const [worker] = await Promise.all([page.context().waitForEvent('serviceworker'), here(page).check()]);
  await expect.poll(() => idsOf(organization)).toHaveLength(1);
  const [before] = await idsOf(organization);
  await worker.evaluate(subscribing, renewed);
  await worker.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil: resolve }));
    await promise;
  });
  await expect.poll(() => idsOf(organization)).toHaveLength(2);
  const [after] = (await idsOf(organization)).filter((id) => id !== before);

  await page.addInitScript((given) => {
    PushManager.prototype.getSubscription = async () =>
      ({ endpoint: given.endpoint, toJSON: () => given, unsubscribe: async () => true }) as unknown as PushSubscription;
  }, renewed);
  await page.reload();
  await expect.poll(() => here(page).isChecked()).toBe(true);
  await here(page).uncheck();
  // The other is forgotten when its push service knows it no longer.
  await expect.poll(() => idsOf(organization)).toEqual([before]);
  expect(after).toBeDefined();
  expect(visitor.complaints).toEqual([]);
});

test('what is told elsewhere is in the language of the console, from the next choice or change on', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('notifications', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitemradio', { name: 'Türkçe' }).click();
  await expect.poll(() => languageOf(organization)).toBe('tr');
  await organization.call('PATCH', '/api/me/notifications', { language: 'ja' });
  await page.getByRole('checkbox', { name: 'Sizden bahsedilmesi' }).uncheck();
  await expect.poll(() => languageOf(organization)).toBe('tr');
});
