import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { expect, test } from 'vitest';
import { Unsubscribing } from '../../services/events/notifications/channels/unsubscribing.ts';
import { sharedSystem } from '../support/system.ts';

test('the address in a mail asks a person first, and ends mail for a program that POSTs to it, without a key', async () => {
  const { baseUrl, secrets, newOrganization } = await sharedSystem();
  const { call } = await newOrganization();
  const { data: me } = await call<{ user: { id: string }; organization: { id: string } }>('GET', '/api/me');
  const mail = async () => (await call<{ mail: string }>('GET', '/api/me/notifications')).data.mail;
  await call('PATCH', '/api/me/notifications', { mail: 'hourly' });
  const ring = keyRingSetting.parse(secrets.WEBHOOK_SECRETS);
  const url = new Unsubscribing(ring, baseUrl).urlFor({ organizationId: me.organization.id, userId: me.user.id });

  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')]);
  expect((await fetch(`${url}x`, { method: 'POST' })).status).toBe(404);
  expect(await mail()).toBe('hourly');
  // RFC 8058, 8: a form of either kind.
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  expect(await mail()).toBe('off');
});
