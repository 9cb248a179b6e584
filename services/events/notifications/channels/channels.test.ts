import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ChatFormat } from '@worktrack/contracts/events/notifications';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { event, startEvents } from '../../testing.ts';
import { until } from '../../webhooks/testing.ts';
import { ChannelModel } from './channels.model.ts';
import { takeChannel } from './channels.repository.ts';
import { countMailAtOnce, MAX_AT_ONCE_PER_DAY } from './mails.repository.ts';
import { channelTests } from './test-channels.ts';

interface Mail {
  readonly to: string;
  readonly text: string;
}

/** A server for mail, on the loopback address. */
async function startSmtp() {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith('gone') ? Object.assign(new Error('No such user'), { responseCode: 550 }) : null),
    onData: (stream, { envelope }, done) => {
      text(stream).then((raw) => {
        // As it was written: headers and lines of quoted-printable may be folded.
        const unfolded = raw
          .replaceAll('=\r\n', '')
          .replace(/\r\n[ \t]+/g, ' ')
          .replaceAll('=3D', '=');
        mails.push({ to: envelope.rcptTo[0]?.address ?? '', text: unfolded });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { mails, url: `smtp://127.0.0.1:${port}`, stop: () => new Promise<void>((resolve) => server.close(resolve)) };
}

let smtp: Awaited<ReturnType<typeof startSmtp>>;
let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  smtp = await startSmtp();
  events = await startEvents({ SMTP_URL: smtp.url });
});
afterAll(async () => {
  await events.stop();
  await smtp.stop();
});

const { here, ends, replica, mention } = channelTests(() => ({ SMTP_URL: smtp.url }));

async function endpoint(...answer: Parameters<typeof Endpoint.start>): Promise<Endpoint> {
  const started = await Endpoint.start(...answer);
  ends.push(() => started.stop());
  return started;
}

type Settings = Omit<Parameters<typeof events.call<'notifications.store'>>[1], 'address'>;
const addressOf = (userId: string) => `${userId}@example.com`;
const set = (settings: Settings, userId = here.ada) =>
  events.call('notifications.store', { ...settings, address: addressOf(userId) }, here.organizationId, undefined, {
    userId,
  });
const shown = () => events.call('notifications.settings', {}, here.organizationId, undefined, { userId: here.ada });
const chat = (url: string, format: ChatFormat = 'slack') => ({ webhook: { url, format } });

const mailsTo = (userId: string) => smtp.mails.filter(({ to }) => to === addressOf(userId));
const bodies = ({ received }: Endpoint) => received.map(({ body }) => body).join('\n');

describe('in a chat', () => {
  const TEXT = 'Look <!channel> @everyone [here](https://example.org)';
  test.each([
    [
      'slack',
      {
        text: '<https://worktrack.example/console/items/W-T-1|W-T-1> you were mentioned: Look &lt;!channel&gt; @everyone [here](https://example.org)',
        unfurl_links: false,
      },
    ],
    [
      'discord',
      {
        content:
          '[W-T-1](<https://worktrack.example/console/items/W-T-1>) you were mentioned\\: Look \\<!channel\\> \\@everyone \\[here\\]\\(https\\:\\/\\/example.org\\)',
        allowed_mentions: { parse: [] },
      },
    ],
    [
      'teams',
      {
        type: 'message',
        attachments: [
          expect.objectContaining({
            content: expect.objectContaining({
              body: [
                {
                  type: 'RichTextBlock',
                  inlines: [
                    expect.objectContaining({ type: 'TextRun', text: 'W-T-1' }),
                    { type: 'TextRun', text: ` you were mentioned: ${TEXT}` },
                  ],
                },
              ],
            }),
          }),
        ],
      },
    ],
  ] as const)('%s shows what others wrote as it is', async (format, expected) => {
    const well = await endpoint();
    await set(chat(well.url, format));
    await events.take([mention(TEXT)]);
    replica();
    await until(() => expect(well.received).toHaveLength(1));
    expect(JSON.parse(well.received[0]?.body ?? '')).toEqual(expected);
  });

  test.each([
    ['en', 'Fix <it> · needs somebody: to review', '1 more'],
    ['de', 'Fix <it> · braucht jemanden: zu prüfen', '1 weitere'],
    ['tr', 'Fix <it> · birini bekliyor: incelenecek', '1 tane daha'],
    ['ja', 'Fix <it> · 対応が必要です: レビュー待ち', '他1件'],
  ] as const)('in %s, an item is told by its title, too', async (language, expected, more) => {
    const well = await endpoint();
    await set({ language, ...chat(well.url) });
    await events.call(
      'notifications.setWatch',
      { workItemId: here.workItemId, watching: true },
      here.organizationId,
      undefined,
      {
        userId: here.ada,
      },
    );
    const need = { type: 'work_item.needs_attention', data: { kind: 'review', title: 'Fix\n<it>' } } as const;
    await events.take(Array.from({ length: 21 }, () => mention('', here.ada, need)));
    replica();
    await until(() => expect(well.received).toHaveLength(1));
    const { text } = JSON.parse(well.received[0]?.body ?? '') as { text: string };
    const lines = text.split('\n');
    expect(lines[0]).toContain(`|W-T-1> ${expected.replace('<it>', '&lt;it&gt;')}`);
    expect(lines.at(-1)).toBe(`<https://worktrack.example/console/notifications|${more}>`);
    expect((await shown()).language).toBe(language);
  });

  test('each is told once, by two replicas at once and from events that come twice', async () => {
    const well = await endpoint();
    const users = Array.from({ length: 12 }, () => randomUUID());
    for (const each of users) await set(chat(well.url), each);
    const replicas = [replica(), replica()];
    for (const [at, user] of users.entries()) {
      const batch = [mention(`no. ${at}a.`, user), mention(`no. ${at}b.`, user)];
      for (const _ of ['first', 'again']) await events.take(batch);
    }
    const told = () => bodies(well).match(/no\. \d+[ab]\./g) ?? [];
    await until(() => expect(new Set(told()).size).toBe(24));
    await Promise.all(replicas.map(({ stop }) => stop()));
    expect(told()).toHaveLength(24);
  });

  test('what was read meanwhile is not told, nor what was there before', async () => {
    const well = await endpoint();
    await events.take([mention('before', here.ada, { at: new Date(Date.now() - 1_000).toISOString() })]);
    await set(chat(well.url));
    await events.take([mention('seen')]);
    await events.call('notifications.read', {}, here.organizationId, undefined, { userId: here.ada });
    await events.take([mention('news')]);
    const { stop } = replica();
    await until(() => expect(bodies(well)).toContain('news'));
    await stop();
    expect(bodies(well)).not.toMatch(/before|seen/);
  });

  test('what a process had taken that died is told by another, once', async () => {
    const well = await endpoint();
    await set(chat(well.url));
    await events.take([mention('left behind')]);
    const channel = await ChannelModel.findOne({ organizationId: here.organizationId, userId: here.ada }).lean();
    if (!channel) throw new Error('It was set.');
    const now = new Date();
    expect(await takeChannel(channel, 'dead', now, new Date(now.getTime() + 3_000))).toBeDefined();
    expect(await takeChannel(channel, 'too late', now, new Date(now.getTime() + 3_000))).toBeUndefined();
    const replicas = [replica(), replica()];
    await until(() => expect(well.received).toHaveLength(1));
    expect(Date.now() - now.getTime()).toBeGreaterThan(2_900);
    await Promise.all(replicas.map(({ stop }) => stop()));
    expect(well.received).toHaveLength(1);
  });

  test('endpoints that never answer keep nobody waiting', async () => {
    const dead = await endpoint(() => () => {});
    const others = Array.from({ length: 12 }, () => randomUUID());
    for (const each of others) await set(chat(dead.url), each);
    await events.take(others.map((each) => mention('lost', each)));
    replica();
    await until(() => expect(dead.received.length).toBeGreaterThan(0));
    const well = await endpoint();
    here.organizationId = randomUUID();
    await set(chat(well.url));
    await events.take([mention('news')]);
    await until(() => expect(well.received).toHaveLength(1), 8_000);
  });

  test('an endpoint that fails is tried again, and one that is gone no more until it is set again', async () => {
    const answers = [500, 200, 410, 200];
    const shaky = await endpoint(() => answers.shift() ?? 200);
    await set(chat(shaky.url));
    await events.take([mention('first')]);
    replica();
    await until(() => expect(shaky.received).toHaveLength(1));
    await events.take([mention('second')]);
    await until(() => expect(shaky.received).toHaveLength(2));
    expect(shaky.received[1]?.body).toMatch(/first.*second/);

    await events.take([mention('third')]);
    await until(async () => expect((await shown()).webhook?.problem).toBe('The answer was 410.'));
    await events.take([mention('fourth')]);
    await set(chat(shaky.url));
    await events.take([mention('fifth')]);
    await until(() => expect(shaky.received).toHaveLength(4));
    expect(shaky.received[3]?.body).toMatch(/fifth/);
    expect(shaky.received[3]?.body).not.toMatch(/third|fourth/);
  });

  test.each(['http://169.254.169.254/latest', 'http://8.8.8.8/', 'https://10.0.0.1/'])('%s is refused', (url) =>
    expect(set(chat(url))).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: /NOTIFICATION_ALLOWED/ }),
  );
});

describe('by mail', () => {
  test('it says how to end it, and its address ends it without a sign-in', async () => {
    await set({ mail: 'at_once' });
    await events.take([mention('Which blue?\r\nBcc: mallory@example.com')]);
    replica();
    await until(() => expect(mailsTo(here.ada)).toHaveLength(1));
    const [mail] = mailsTo(here.ada);
    expect(mail?.text).toMatch(/^Subject: W-T-1 you were mentioned: Which blue\? Bcc: mallory@example.com\r$/m);
    expect(mail?.text).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(mail?.text).toContain('https://worktrack.example/console/items/W-T-1');
    const [, token = ''] = /^List-Unsubscribe: <https:\S+\?token=(\S+)>\r$/m.exec(mail?.text ?? '') ?? [];
    const end = (given: string) => events.call('notifications.unsubscribe', { token: given }, '');
    for (const forged of ['', 'a.b.c.d', token.slice(0, -2), token.replace(here.ada, randomUUID())]) {
      expect(await end(forged)).toEqual({ unsubscribed: false });
    }
    expect((await shown()).mail).toBe('at_once');
    expect(await end(token)).toEqual({ unsubscribed: true });
    expect((await shown()).mail).toBe('off');
  });

  test('it is in the language of the person, whichever they change', async () => {
    await set({ mail: 'at_once' });
    await set({ language: 'de' });
    await events.take([mention('Welches Blau?', here.ada, { data: { mentions: [here.ada], title: 'Die Farbe' } })]);
    replica();
    await until(() => expect(mailsTo(here.ada)).toHaveLength(1));
    expect(mailsTo(here.ada)[0]?.text).toMatch(/^W-T-1 Die Farbe .*wurdest erw/m);
    expect(mailsTo(here.ada)[0]?.text).toContain('Keine E-Mails mehr: https://');
  });

  test('a digest gathers what is still unread, and what falls into quiet hours comes at their end', async () => {
    // In the future: what is older than its retention is removed by the database, which has a clock of its own.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-03-02T20:30:00Z') });
    await set({ mail: 'hourly', quietHours: { from: '23:00', to: '06:00', timeZone: 'Europe/Berlin' } });
    const at = (time: string) => {
      vi.setSystemTime(new Date(time));
      return { at: time };
    };
    await events.take([mention('apple', here.ada, at('2126-03-02T20:30:01Z'))]);
    await events.take([mention('pear', here.ada, at('2126-03-02T21:10:00Z'))]);
    // Whatever is chosen in between, nothing of it is lost.
    for (const mail of ['daily', 'hourly'] as const) await set({ mail });
    const dueAt = async () =>
      (
        await ChannelModel.findOne({ organizationId: here.organizationId, userId: here.ada }).lean()
      )?.dueAt?.toISOString();
    replica();
    await until(async () => expect(await dueAt()).toBe('2126-03-02T21:30:01.000Z'));
    expect(mailsTo(here.ada)).toHaveLength(0);
    at('2126-03-02T21:30:02Z');
    await until(() => expect(mailsTo(here.ada)).toHaveLength(1));
    expect(mailsTo(here.ada)[0]?.text).toMatch(/apple.*pear/s);

    await events.take([mention('three', here.ada, at('2126-03-02T21:40:00Z'))]);
    await until(async () => expect(await dueAt()).toBe('2126-03-03T05:00:00.000Z'));
    at('2126-03-03T05:00:01Z');
    await until(() => expect(mailsTo(here.ada)).toHaveLength(2));
    expect(mailsTo(here.ada)[1]?.text).not.toMatch(/apple|pear/);
  });

  test('an address gets so many at once on a day; what passes that comes with the daily digest', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-03-02T20:30:00Z') });
    const at = (time: string) => {
      vi.setSystemTime(new Date(time));
      return { at: time };
    };
    for (let i = 1; i < MAX_AT_ONCE_PER_DAY; i++) {
      await countMailAtOnce(here.organizationId, addressOf(here.ada), new Date());
    }
    await set({ mail: 'at_once' });
    await events.take([mention('the last', here.ada, at('2126-03-02T20:30:01Z'))]);
    replica();
    await until(() => expect(mailsTo(here.ada)).toHaveLength(1));
    for (const [i, words] of ['apple', 'pear'].entries()) {
      await events.take([mention(words, here.ada, at(`2126-03-02T20:31:0${i}Z`))]);
      await until(async () => {
        const own = { organizationId: here.organizationId, userId: here.ada };
        const channel = await ChannelModel.findOne(own).lean();
        expect(channel?.dueAt?.toISOString()).toBe('2126-03-03T08:00:00.000Z');
      });
    }
    expect(mailsTo(here.ada)).toHaveLength(1);
    at('2126-03-03T08:00:01Z');
    await until(() => expect(mailsTo(here.ada)).toHaveLength(2));
    expect(mailsTo(here.ada)[1]?.text).toMatch(/apple.*pear/s);
    await events.take([mention('again', here.ada, at('2126-03-03T08:10:00Z'))]);
    await until(() => expect(mailsTo(here.ada)).toHaveLength(3));
  });

  test('an address that is refused for good is not tried again with the same', async () => {
    const gone = randomUUID();
    const store = { mail: 'at_once', address: `gone-${gone}@example.com` } as const;
    await events.call('notifications.store', store, here.organizationId, undefined, { userId: gone });
    await events.take([mention('lost', gone)]);
    replica();
    await until(async () => {
      const channel = await ChannelModel.findOne({ organizationId: here.organizationId, userId: gone }).lean();
      expect(channel).toMatchObject({ attempts: 0, unwell: false });
      expect(channel?.dueAt).toBeUndefined();
    });
  });
});

test('an invitation is mailed with one link, in plain text and as a page, and says whether it was', async () => {
  const mailed = (to: string, changes: object = {}) =>
    events.call(
      'invitations.mail',
      {
        ...{ id: randomUUID(), to, code: 'wtc_abc', expiresAt: '2026-03-09T09:30:00.000Z' },
        ...{ inviter: 'Ada <script>\u202e', organization: 'Tom & Co', language: 'en', ...changes },
      },
      here.organizationId,
    );
  expect(await mailed(addressOf(here.ada))).toMatchObject({ mail: 'sent' });
  expect(await mailed(addressOf(here.ada), { inviter: 'Ada', language: 'de' })).toMatchObject({ mail: 'sent' });
  const [english, german] = mailsTo(here.ada).map(({ text }) => text);
  expect(english).toMatch(/^Subject: Ada <script> invites you to Tom & Co on worktrack\r$/m);
  const link = 'https://worktrack.example/console/#code=wtc_abc';
  expect(english?.split(link)).toHaveLength(3);
  expect(english).toContain(`<a href="${link}"`);
  expect(english).toContain('<bdi>Ada &lt;script&gt;</bdi> invites you to <bdi>Tom &amp; Co</bdi>');
  expect(english).toMatch(/once, until March 9, 2026 at 9:30.AM UTC/);
  expect(english).not.toContain('List-Unsubscribe');
  expect(german).toMatch(/^Subject: .*Tom/m);
  expect(german).toContain('Der Link meldet dich einmal an, bis 9. M');
  expect(await mailed(`gone-${randomUUID()}@example.com`)).toMatchObject({ mail: 'failed' });
});

test('a chat tells no more than the key may see that set it, whoever sets the mail', async () => {
  const well = await endpoint();
  const seen = randomUUID();
  await events.call(
    'notifications.store',
    { ...chat(well.url), address: 'ada@example.com' },
    here.organizationId,
    undefined,
    {
      ...{ userId: here.ada, projects: [seen] },
    },
  );
  await set({ mail: 'daily' });
  expect((await shown()).projects).toEqual({ mail: null, webhook: [seen] });
  const ofAnother = { userId: here.ada, projects: [randomUUID()] };
  const { projects } = await events.call('notifications.settings', {}, here.organizationId, undefined, ofAnother);
  expect(projects).toEqual({ mail: null, webhook: [] });
  await events.take([mention('hidden'), mention('seen', here.ada, { projectId: seen })]);
  replica();
  await until(() => expect(well.received).toHaveLength(1));
  expect(bodies(well)).toContain('seen');
  expect(bodies(well)).not.toContain('hidden');
});

test('channels tell no more than their user may see, and nothing once the user is disabled', async () => {
  const well = await endpoint();
  await set({ ...chat(well.url), mail: 'daily' });
  const other = randomUUID();
  const changed = (changes: object) =>
    event({ organizationId: here.organizationId, type: 'user.updated', subjectId: here.ada, data: { changes } });
  await events.take([changed({ projects: { from: null, to: [other] } })]);
  expect((await shown()).projects).toEqual({ mail: [other], webhook: [other] });
  await events.take([mention('hidden'), mention('seen', here.ada, { projectId: other })]);
  replica();
  await until(() => expect(well.received).toHaveLength(1));
  expect(bodies(well)).toContain('seen');
  expect(bodies(well)).not.toContain('hidden');
  await events.take([changed({ disabled: { from: false, to: true } })]);
  expect(await shown()).toMatchObject({ mail: 'off', webhook: null });
});
