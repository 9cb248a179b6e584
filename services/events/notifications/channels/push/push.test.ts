import { createECDH, randomUUID } from 'node:crypto';
import { MAX_BROWSERS } from '@worktrack/contracts/events/push';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { event, startEvents } from '../../../testing.ts';
import { until } from '../../../webhooks/testing.ts';
import { SettingsModel } from '../../notifications.model.ts';
import { ChannelModel } from '../channels.model.ts';
import { channelTests } from '../test-channels.ts';
import { TestPushService } from './test-push-service.ts';
import { vapidKeysSetting } from './vapid.ts';

const pair = () => {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys('base64url');
  const privateKey = ecdh.getPrivateKey().toString('hex').padStart(64, '0');
  return { publicKey, privateKey: Buffer.from(privateKey, 'hex').toString('base64url') };
};
const VAPID_KEYS = pair();

let events: Awaited<ReturnType<typeof startEvents>>;
let service: TestPushService;
beforeAll(async () => {
  events = await startEvents({ VAPID_KEYS });
  service = await TestPushService.start(VAPID_KEYS.publicKey);
});
afterAll(async () => {
  await events.stop();
  await service.stop();
});

// Set up first: asked last.
afterEach(() => expect(service.faults.splice(0)).toEqual([]));
const { here, replica, mention } = channelTests(() => ({ VAPID_KEYS }));

type Browser = ReturnType<TestPushService['browser']>;
type As = Parameters<typeof events.call>[4];
const subscribe = ({ subscription }: Pick<Browser, 'subscription'>, userId = here.ada, as: As = {}) =>
  events.call('push.subscribe', subscription, here.organizationId, undefined, { userId, ...as });
const unsubscribe = (id: string, userId = here.ada) =>
  events.call('push.unsubscribe', { id }, here.organizationId, undefined, { userId });
const list = async (userId = here.ada) =>
  (await events.call('push.list', {}, here.organizationId, undefined, { userId })).subscriptions;
const store = (settings: object) =>
  events.call('notifications.store', { ...settings, address: 'ada@example.com' }, here.organizationId, undefined, {
    userId: here.ada,
  });

const bodies = ({ received }: Browser) => received.map(({ body }) => body).join('\n');

describe('what is told', () => {
  test('one is shown with its item, for the browser alone to read, and signed by this installation', async () => {
    const browser = service.browser();
    await subscribe(browser);
    await events.take([mention('Which blue? 🟦')]);
    replica();
    await until(() => expect(browser.received).toHaveLength(1));
    const [{ headers, claims, ...shown } = {}] = browser.received;
    expect(shown).toEqual({
      ...{ title: 'W-T-1', body: 'you were mentioned: Which blue? 🟦', url: '/console/items/W-T-1' },
      tag: expect.any(String),
    });
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' });
    expect(claims).toMatchObject({ aud: service.origin, sub: 'mailto:worktrack@worktrack.example' });
    expect(claims?.exp).toBeGreaterThan(Date.now() / 1_000);
    await until(async () => expect((await list())[0]?.lastUsedAt).not.toBeNull());
  });

  test('an item is named by its title, in the language of the person', async () => {
    const browser = service.browser();
    await subscribe(browser);
    await store({ language: 'tr' });
    await events.take([mention('', here.ada, { data: { text: 'Mavi mi?', mentions: [here.ada], title: 'Giriş' } })]);
    const first = replica();
    await until(() => expect(browser.received).toHaveLength(1));
    expect(browser.received[0]).toMatchObject({ title: 'W-T-1 Giriş', body: 'sizden bahsedildi: Mavi mi?' });
    await first.stop();
    await events.take([mention('a'), mention('b')]);
    replica();
    await until(() => expect(browser.received).toHaveLength(2));
    expect(browser.received[1]?.title).toBe('2 yeni bildirim');
  });

  test('several are gathered, and the longest that there are fit', async () => {
    const browser = service.browser();
    await subscribe(browser);
    const long = '🟦'.repeat(300);
    const now = Date.now();
    const all = ['a', 'b', 'c'].map((name, at) =>
      mention(`${name} ${long}`, here.ada, { at: new Date(now + at).toISOString() }),
    );
    await events.take(all);
    replica();
    await until(() => expect(browser.received).toHaveLength(1));
    expect(browser.received[0]).toMatchObject({ title: '3 new', url: '/console/notifications' });
    expect(bodies(browser)).toMatch(/^W-T-1 you were mentioned: a 🟦.*\nW-T-1 you were mentioned: b 🟦.*…$/s);
    expect(Number(browser.received[0]?.headers['content-length'])).toBeLessThan(4_096);
  });

  test('each is told once in each of two browsers, by two replicas and from events that come twice', async () => {
    const browsers = [service.browser(), service.browser()];
    const others = Array.from({ length: 6 }, () => ({ user: randomUUID(), browser: service.browser() }));
    for (const browser of browsers) await subscribe(browser);
    for (const { user, browser } of others) await subscribe(browser, user);
    const replicas = [replica(), replica()];
    for (const user of [here.ada, ...others.map(({ user }) => user)]) {
      const batch = [mention('no. a.', user), mention('no. b.', user)];
      for (const _ of ['first', 'again']) await events.take(batch);
    }
    const all = [...browsers, ...others.map(({ browser }) => browser)];
    const told = () =>
      all.map(
        (browser) =>
          bodies(browser)
            .match(/no\. [ab]\./g)
            ?.toSorted() ?? [],
      );
    await until(() => expect(told().flat()).toHaveLength(2 * all.length));
    await Promise.all(replicas.map(({ stop }) => stop()));
    expect(told()).toEqual(all.map(() => ['no. a.', 'no. b.']));
  });

  test('what was seen meanwhile is not told, nor what was there before, nor of which one is not told', async () => {
    const browser = service.browser();
    await events.take([mention('before', here.ada, { at: new Date(Date.now() - 1_000).toISOString() })]);
    await subscribe(browser);
    await events.take([mention('seen')]);
    await events.call('notifications.read', {}, here.organizationId, undefined, { userId: here.ada });
    const assigned = { kind: 'assigned', userId: here.ada };
    await events.take([mention('', here.ada, { type: 'work_item.needs_attention', data: assigned }), mention('news')]);
    await store({ kinds: { assigned: false } });
    const { stop } = replica();
    await until(() => expect(browser.received).toHaveLength(1));
    await stop();
    expect(bodies(browser)).toBe('you were mentioned: news');
  });

  test('what falls into quiet hours comes at their end, or once they are lifted', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-03-02T20:30:00Z') });
    const browser = service.browser();
    await subscribe(browser);
    const quietHours = { from: '21:00', to: '06:00', timeZone: 'UTC' };
    await store({ quietHours });
    const at = (time: string) => {
      vi.setSystemTime(new Date(time));
      return { at: time };
    };
    await events.take([mention('apple', here.ada, at('2126-03-02T22:00:00Z'))]);
    replica();
    const dueAt = async () =>
      (
        await ChannelModel.findOne({ organizationId: here.organizationId, userId: here.ada }).lean()
      )?.dueAt?.toISOString();
    await until(async () => expect(await dueAt()).toBe('2126-03-03T06:00:00.000Z'));
    expect(browser.received).toHaveLength(0);
    at('2126-03-03T06:00:01Z');
    await until(() => expect(bodies(browser)).toContain('apple'));
    await events.take([mention('pear', here.ada, at('2126-03-03T22:00:00Z'))]);
    await store({ quietHours: null });
    await until(() => expect(bodies(browser)).toContain('pear'));
  });
});

describe('a push service', () => {
  test.each([404, 410])(
    'that answers %i knows the browser no longer: it is removed, and the other is told',
    async (status) => {
      const [gone, well] = [service.browser(), service.browser()];
      gone.answers.push(status);
      for (const browser of [gone, well]) await subscribe(browser);
      const { id } = await subscribe(well);
      await events.take([mention('news')]);
      replica();
      await until(async () => expect((await list()).map((each) => each.id)).toEqual([id]));
      await until(() => expect(well.received).toHaveLength(1));
      await events.take([mention('more')]);
      await until(() => expect(well.received).toHaveLength(2));
      expect(gone.received).toHaveLength(1);
    },
  );

  test.each([429, 503])('that answers %i is asked again, and only for that browser', async (status) => {
    const [shaky, well] = [service.browser(), service.browser()];
    shaky.answers.push(status);
    for (const browser of [shaky, well]) await subscribe(browser);
    await events.take([mention('news')]);
    const { stop } = replica();
    await until(() => expect(shaky.received).toHaveLength(2), 10_000);
    await stop();
    // The second time under the same tag, which takes the place of the first.
    expect(new Set(shaky.received.map(({ tag }) => tag)).size).toBe(1);
    expect(well.received).toHaveLength(1);
    expect(await list()).toHaveLength(2);
  });

  test.each(['http://169.254.169.254/latest', 'http://8.8.8.8/', 'https://10.0.0.1/send', 'https://[fd00::1]/'])(
    'at %s is refused',
    (endpoint) => {
      const { keys } = service.browser().subscription;
      return expect(subscribe({ subscription: { endpoint, keys } })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        extra: { details: [{ path: 'endpoint', message: /NOTIFICATION_ALLOWED/ }] },
      });
    },
  );

  test('is asked nothing for a browser whose keys are none', async () => {
    const { endpoint, keys } = service.browser().subscription;
    const subscription = { endpoint, keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } };
    await expect(subscribe({ subscription })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('browsers', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

  test('are listed by name, without what sends to them, and for nobody else', async () => {
    const sender = { address: null, userAgent: FIREFOX, type: 'session', id: randomUUID(), name: 'Ada' } as const;
    const browser = service.browser();
    const saved = await subscribe(browser, here.ada, { sender });
    expect(await list()).toEqual([saved]);
    expect(saved).toEqual({
      ...{ id: expect.any(String), browser: 'Firefox on Linux', createdAt: expect.any(String) },
      ...{ lastUsedAt: null, projects: null },
    });
    const grace = randomUUID();
    expect(await list(grace)).toEqual([]);
    await expect(unsubscribe(saved.id, grace)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await unsubscribe(saved.id)).toEqual({ deleted: true, id: saved.id });
    await expect(unsubscribe(saved.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('are each there once, also if it says so several times at once', async () => {
    const browser = service.browser();
    const saved = await Promise.all(Array.from({ length: 4 }, () => subscribe(browser)));
    expect(await list()).toHaveLength(1);
    expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
    await events.take([mention('news')]);
    const { stop } = replica();
    await until(() => expect(browser.received).toHaveLength(1));
    await stop();
    expect(browser.received).toHaveLength(1);
  });

  test('are one user’s: what was another’s is told only what the new one may see', async () => {
    const browser = service.browser();
    const grace = randomUUID();
    await Promise.all([subscribe(browser), subscribe(browser, grace)]);
    expect([...(await list()), ...(await list(grace))]).toHaveLength(1);
    await subscribe(browser, grace);
    expect(await list()).toEqual([]);
    await events.take([mention('for Ada', here.ada), mention('for Grace', grace)]);
    const { stop } = replica();
    await until(() => expect(browser.received).toHaveLength(1));
    await stop();
    expect(bodies(browser)).toBe('you were mentioned: for Grace');
  });

  test(`are at most ${MAX_BROWSERS}, also of two at once`, async () => {
    const browsers = Array.from({ length: MAX_BROWSERS + 2 }, () => service.browser());
    for (const browser of browsers.slice(0, -3)) await subscribe(browser);
    const outcomes = await Promise.allSettled(browsers.slice(-3).map((browser) => subscribe(browser)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const all = await list();
    expect(all).toHaveLength(MAX_BROWSERS);
    // One that is there already is not one more.
    await subscribe(browsers[0] as Browser);
  });

  test('are told no more than the key that subscribed them may see, nor their user, and nothing once the user is disabled', async () => {
    const [whole, limited] = [service.browser(), service.browser()];
    const [other, third] = [randomUUID(), randomUUID()];
    await subscribe(whole);
    await subscribe(limited, here.ada, { projects: [other, third] });
    const changed = (changes: object) =>
      event({ organizationId: here.organizationId, type: 'user.updated', subjectId: here.ada, data: { changes } });
    await events.take([mention('here'), mention('there', here.ada, { projectId: other })]);
    replica();
    await until(() => expect([whole.received.length, limited.received.length]).toEqual([1, 1]));
    expect([whole.received[0]?.title, bodies(limited)]).toEqual(['2 new', 'you were mentioned: there']);
    await events.take([changed({ projects: { from: null, to: [third] } })]);
    expect((await list()).map(({ projects }) => projects)).toEqual([[third], [third]]);
    await events.take([changed({ disabled: { from: false, to: true } })]);
    expect(await list()).toEqual([]);
  });

  test('and all other channels of however many users who lose sight of everything at once are ended together', async () => {
    await subscribe(service.browser());
    await subscribe(service.browser());
    const grace = randomUUID();
    await subscribe(service.browser(), grace);
    const mail = { times: 'daily', address: 'ada@example.com', since: new Date(), projects: null } as const;
    await SettingsModel.create({ _id: here.ada, organizationId: here.organizationId, kinds: {}, mail });
    const losing = (userId: string, permissions: readonly string[]) => {
      const { organizationId } = here;
      return event({ organizationId, type: 'user.updated', subjectId: userId, data: { changes: {}, permissions } });
    };
    const others = Array.from({ length: 60 }, () => losing(randomUUID(), ['projects:read']));
    const touched: string[] = [];
    mongoose.set('debug', (collection: string, method: string) => void touched.push(`${collection}.${method}`));
    onTestFinished(() => void mongoose.set('debug', false));
    await events.take([...others, losing(here.ada, ['projects:read']), losing(grace, ['work-items:read'])]);
    const ofChannels = touched.filter((each) => /^notification_(settings|channels)[.]/.test(each));
    // One for their mail and chats, and two for their browsers.
    expect(ofChannels).toHaveLength(3);
    expect([await list(), (await list(grace)).length]).toEqual([[], 1]);
    expect(await SettingsModel.findOne({ _id: here.ada }).lean()).toMatchObject({ mail: null });
  });

  test('that subscribed with another key of this installation are told nothing, and are not among those that are', async () => {
    const browser = service.browser();
    await subscribe(browser);
    const renewed = pair();
    const ask = events.restarted({ VAPID_KEYS: renewed });
    const answer = await ask('push.list', {}, here.organizationId, undefined, { userId: here.ada });
    expect(answer).toEqual({ publicKey: renewed.publicKey, subscriptions: [] });
    await events.take([mention('news')]);
    const { stop } = replica({ VAPID_KEYS: renewed });
    await until(async () =>
      expect(
        (await ChannelModel.findOne({ organizationId: here.organizationId, userId: here.ada }).lean())?.dueAt,
      ).toBeUndefined(),
    );
    await stop();
    expect(browser.received).toEqual([]);
  });

  test('are none where no keys are set', async () => {
    const ask = events.restarted({});
    expect(await ask('push.list', {}, here.organizationId)).toEqual({ publicKey: null, subscriptions: [] });
    await expect(ask('push.subscribe', service.browser().subscription, here.organizationId)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: /VAPID_KEYS/,
    });
  });
});

test.each([
  ['a pair', `${VAPID_KEYS.publicKey}:${VAPID_KEYS.privateKey}`, true],
  ['halves of two', `${pair().publicKey}:${VAPID_KEYS.privateKey}`, false],
  ['the wrong way round', `${VAPID_KEYS.privateKey}:${VAPID_KEYS.publicKey}`, false],
  ['one half', VAPID_KEYS.publicKey, false],
])('VAPID_KEYS with %s', (_, value, isValid) => expect(vapidKeysSetting.safeParse(value).success).toBe(isValid));
