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

  const get = async (headers = {}) => {
    const page = await fetch(url, { headers });
    return { status: page.status, headers: page.headers, text: await page.text() };
  };
  expect(await get()).toMatchObject({ status: 200, text: expect.stringContaining('<form method="post">') });
  for (const [asked, language, words] of [
    ['tr', 'tr', 'E-posta almayı bırak'],
    ['fr, de-CH;q=0.9, en;q=0.8', 'de', 'Keine E-Mails mehr'],
    ['ja-JP', 'ja', 'メールの配信停止'],
    ['fr', 'en', 'No more mail'],
    ['*', 'en', 'No more mail'],
    ['nonsense;q=;,', 'en', 'No more mail'],
  ] as const) {
    const { headers, ...answer } = await get({ 'accept-language': asked });
    expect([headers.get('content-language'), headers.get('vary')]).toEqual([language, 'Accept-Language']);
    expect(answer.text).toContain(`<html lang="${language}">`);
    expect(answer.text).toContain(`<button>${words}</button>`);
  }
  expect((await fetch(`${url}x`, { method: 'POST' })).status).toBe(404);
  expect(await mail()).toBe('hourly');
  // RFC 8058, 8: a form of either kind.
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  expect(await mail()).toBe('off');
});
