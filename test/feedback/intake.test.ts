import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { newSource, visitor } from './visitor.ts';

const ORIGIN = 'https://www.site.example';
const UNKNOWN_KEY = `pk_${'0'.repeat(24)}`;

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
/** Any origin, no captcha. */
let open: Source;
/** ORIGIN and its like, no captcha. */
let restricted: Source;

beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, feedback: 2 }, env: { TRUST_PROXY: 'loopback' } });
  organization = await system.newOrganization();
  open = await newSource(organization);
  restricted = await newSource(organization, { allowedDomains: ['*.site.example'] });
});
afterAll(() => system?.stop());

const gateway = (i: number) => system.gateways[i % system.gateways.length] as string;
const somebody = () => visitor(system.baseUrl);
const inboxOf = async (source: Source) =>
  (await organization.call<{ items: FeedbackItem[] }>('GET', `/api/feedback/items?sourceId=${source.id}&limit=100`))
    .data.items;

describe('a submission', () => {
  test('goes from bootstrap to the inbox', async () => {
    const sender = somebody();
    const { status, success, data } = await sender.bootstrap(open, { origin: ORIGIN });
    expect({ status, success, data }).toEqual({
      status: 200,
      success: true,
      data: {
        source: { publicKey: open.publicKey, type: 'widget', name: 'Site' },
        token: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
        expiresAt: expect.any(Number),
        config: { requireCaptcha: false },
      },
    });
    expect(data.expiresAt - Date.now()).toBeGreaterThan(14 * 60_000);
    expect(data.expiresAt - Date.now()).toBeLessThanOrEqual(15 * 60_000);

    const body = {
      publicKey: open.publicKey,
      token: data.token,
      message: `It does not work 🐞 ${randomUUID()}`,
      category: 'bug',
      email: 'ada@example.com',
      pageUrl: `${ORIGIN}/export?x=1#y`,
      locale: 'pt-BR',
    };
    const sent = await sender.ingest(body, { origin: ORIGIN });
    expect(sent.status).toBe(201);
    expect(sent.data).toEqual({ id: expect.any(String), status: 'new', createdAt: expect.any(String) });

    const { publicKey, token, ...submitted } = body;
    const stored = await organization.call('GET', `/api/feedback/items/${sent.data.id}`);
    expect(stored.data).toMatchObject({ ...submitted, ...sent.data, sourceId: open.id, origin: ORIGIN });
    expect(JSON.stringify(stored.data)).not.toContain(sender.address);
  });

  test('has the category other unless it specifies one, and an empty optional field counts as absent', async () => {
    const { data } = await somebody().submit(open, {
      category: '',
      email: '',
      pageUrl: '',
      locale: '',
      captchaToken: '',
    });
    const stored = await organization.call('GET', `/api/feedback/items/${data.id}`);
    expect(stored.data).toMatchObject({ category: 'other', email: null, pageUrl: null, locale: null, origin: null });
  });

  test('may have 5000 characters, counted as people count them', async () => {
    for (const message of ['x'.repeat(5_000), '🐞'.repeat(5_000)]) {
      expect((await somebody().submit(open, { message: message.slice(0, -2) + message.slice(-2) })).status).toBe(201);
    }
    expect((await somebody().submit(open, { message: '🐞'.repeat(5_001) })).status).toBe(400);
  });

  test('whose message was stored a short while ago is refused with 409, and the same from another source is not', async () => {
    const message = `Twice ${randomUUID()}`;
    expect((await somebody().submit(open, { message })).status).toBe(201);
    const again = await visitor(gateway(1)).submit(open, { message: `  ${message.toUpperCase()} ` });
    expect([again.status, again.error.code]).toEqual([409, 'DUPLICATE_FEEDBACK']);
    expect((await somebody().submit(restricted, { message }, { origin: ORIGIN })).status).toBe(201);
  });

  test('sent several times at once over two gateways is stored once', async () => {
    const message = `At once ${randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => visitor(gateway(i)).submit(open, { message })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
  });
});

describe('the checks run in this order, and the first that fails answers:', () => {
  const message = 'In order';
  const blocked = () => newSource(organization, { allowedDomains: ['*.site.example'], requireCaptcha: true });

  test('shape before rate', async () => {
    const source = await newSource(organization, { rateLimit: { perIp: 1, perSource: 100, windowSeconds: 60 } });
    const sender = somebody();
    expect((await sender.submit(source)).status).toBe(201);
    expect((await sender.ingest({ publicKey: source.publicKey, token: 'x', message: '' })).status).toBe(400);
    expect((await sender.ingest({ publicKey: source.publicKey, token: 'x', message })).status).toBe(429);
  });

  test('rate before source', async () => {
    const sender = somebody();
    const statuses = [];
    for (let i = 0; i < 12; i++) {
      statuses.push((await sender.ingest({ publicKey: UNKNOWN_KEY, token: 'x', message })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
  });

  test('source before origin, origin before token, token before captcha, captcha before duplicate', async () => {
    const source = await blocked();
    const sender = somebody();
    const token = await sender.token(source, { origin: ORIGIN });
    const foreign = { origin: 'https://evil.example' };
    const codes = [
      await sender.ingest({ publicKey: UNKNOWN_KEY, token: 'x', message }, foreign),
      await sender.ingest({ publicKey: source.publicKey, token: 'x', message }, foreign),
      await sender.ingest({ publicKey: source.publicKey, token: 'x', message }, { origin: ORIGIN }),
      await sender.ingest({ publicKey: source.publicKey, token, message }, { origin: ORIGIN }),
      await sender.ingest({ publicKey: source.publicKey, token, message, captchaToken: 'x' }, { origin: ORIGIN }),
    ].map(({ status, error }) => `${status} ${error.code}`);
    expect(codes).toEqual([
      '404 SOURCE_NOT_FOUND',
      '403 ORIGIN_NOT_ALLOWED',
      '401 WIDGET_TOKEN_INVALID',
      '400 CAPTCHA_REQUIRED',
      '400 CAPTCHA_INVALID',
    ]);
  });
});

describe('refused with 400, naming the field:', () => {
  const good = { publicKey: UNKNOWN_KEY, token: 't', message: 'Hello' };
  test.each<[string, unknown, string]>([
    ['no public key', { ...good, publicKey: undefined }, 'publicKey'],
    ['an empty public key', { ...good, publicKey: '' }, 'publicKey'],
    ['a public key that is a list', { ...good, publicKey: [UNKNOWN_KEY] }, 'publicKey'],
    ['a public key that is an operator', { ...good, publicKey: { $ne: null } }, 'publicKey'],
    ['an endless public key', { ...good, publicKey: 'p'.repeat(101) }, 'publicKey'],
    ['no token', { ...good, token: undefined }, 'token'],
    ['a token that is no string', { ...good, token: 7 }, 'token'],
    ['no message', { ...good, message: undefined }, 'message'],
    ['a message of null', { ...good, message: null }, 'message'],
    ['a message that is a number', { ...good, message: 7 }, 'message'],
    ['a message that is an object', { ...good, message: { $gt: '' } }, 'message'],
    ['an empty message', { ...good, message: '' }, 'message'],
    ['a message of white space', { ...good, message: ' \n\t\u00a0\u3000' }, 'message'],
    ['a message of what nobody sees', { ...good, message: ' \u200b\u200d\u2060\u3164\u0001\u202e ' }, 'message'],
    ['a message of 5001 characters', { ...good, message: 'x'.repeat(5_001) }, 'message'],
    ['a message with a NUL', { ...good, message: 'a\0b' }, 'message'],
    ['a message with a lone surrogate', { ...good, message: 'a\ud800b' }, 'message'],
    ['a message with the second half of one', { ...good, message: '\udc00' }, 'message'],
    ['an unknown category', { ...good, category: 'Bug' }, 'category'],
    ['a category that is a list', { ...good, category: ['bug'] }, 'category'],
    ['an address that is none', { ...good, email: 'ada' }, 'email'],
    ['an address with a line break', { ...good, email: 'ada@example.com\r\nBcc: eve@example.com' }, 'email'],
    ['an endless address', { ...good, email: `${'a'.repeat(250)}@example.com` }, 'email'],
    ['a page that is no URL', { ...good, pageUrl: 'www.site.example' }, 'pageUrl'],
    ['a page of another scheme', { ...good, pageUrl: 'javascript:alert(1)' }, 'pageUrl'],
    ['a page of data', { ...good, pageUrl: 'data:text/html,<script>' }, 'pageUrl'],
    ['an endless page', { ...good, pageUrl: `https://a.example/${'x'.repeat(2_048)}` }, 'pageUrl'],
    ['a page with white space', { ...good, pageUrl: 'https://a.example/a b' }, 'pageUrl'],
    ['a locale that is none', { ...good, locale: 'en_US' }, 'locale'],
    ['a locale that is markup', { ...good, locale: '<b>' }, 'locale'],
    ['a captcha solution that is no string', { ...good, captchaToken: {} }, 'captchaToken'],
    ['an unknown field', { ...good, mesage: 'x' }, 'mesage'],
    ['a list', [good], ''],
    ['a string', '"text"', ''],
    ['null', 'null', ''],
    ['a number', '7', ''],
    ['nothing', '', ''],
    ['broken JSON', '{"message":', ''],
    ['a key that reaches a prototype', '{"__proto__":{"message":"x"}}', '__proto__'],
    ['deep nesting', `{"message":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'message'],
    ['deep nesting around a prototype', `${'{"a":'.repeat(10_000)}{"__proto__":1}${'}'.repeat(10_000)}`, ''],
    ['5 000 unknown fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i])), 'f0'],
  ])('%s', async (_what, body, path) => {
    const { status, error } = await somebody().ingest(body);
    expect([status, error.code]).toEqual([400, 'VALIDATION_FAILED']);
    if (path !== '') expect(error.details?.map((detail) => detail.path)).toContain(path);
    expect(JSON.stringify(error).length).toBeLessThan(10_000);
  });

  test('everything that is wrong is named at once', async () => {
    const { error } = await somebody().ingest({ publicKey: 1, email: 'x', locale: '_' });
    expect(error.details?.map(({ path }) => path).sort()).toEqual(['email', 'locale', 'message', 'publicKey', 'token']);
  });

  test.each([
    ['?publicKey=', /^publicKey: must not be empty/],
    ['', /^publicKey: is required/],
    ['?publickey=pk_1', /did you mean publicKey\?$/],
    ['?publicKey=a&publicKey=b', /^publicKey: is given 2 times; give it once\.$/],
    ['?publicKey=pk_1&x=1', /^x: is not a known field/],
  ])('bootstrap%s', async (query, message) => {
    const { status, error } = await somebody().fetch(`/feedback/widget/bootstrap${query}`);
    expect([status, error.code, error.message]).toEqual([400, 'VALIDATION_FAILED', expect.stringMatching(message)]);
  });

  test('a query in addition to the body', async () => {
    expect((await somebody().fetch('/feedback/ingest?token=x', { method: 'POST' })).status).toBe(400);
  });
});

describe('a body that is', () => {
  test('larger than a mebibyte: 413', async () => {
    const { status, error } = await somebody().ingest({ message: 'x'.repeat(1024 * 1024) });
    expect([status, error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('of the type %s: 415', async (type) => {
    const { status, error } = await somebody().ingest('{}', { 'content-type': type });
    expect([status, error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('the rate', () => {
  test('is exact over two gateways: ten a minute per client at one source, whatever else they are refused for', async () => {
    const sender = somebody();
    const other = visitor(gateway(1), sender.address);
    const token = await sender.token(open);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 === 0 ? sender : other).ingest({ publicKey: open.publicKey, token, message: `Rate ${randomUUID()}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(50).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.error.code).toBe('RATE_LIMITED');
    const retryAfter = Number(refused?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused?.headers.get('ratelimit-policy')).toBe('"ip";q=10;w=60, "source";q=600;w=60');
    expect(refused?.headers.get('ratelimit')).toMatch(/^"ip";r=0;t=\d+, "source";r=\d+;t=\d+$/);
    expect((await visitor(gateway(0)).submit(open)).status).toBe(201);
  });

  test('for bootstraps is sixty a minute per client at one source', async () => {
    const sender = somebody();
    const answers = await Promise.all(Array.from({ length: 80 }, () => sender.bootstrap(open)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.find(({ status }) => status === 429)?.headers.get('ratelimit-policy')).toBe('"ip";q=60;w=60');
  });

  test('is the source’s own, if it has one, and slides', async () => {
    const source = await newSource(organization, { rateLimit: { perIp: 2, perSource: 3, windowSeconds: 3 } });
    const senders = [somebody(), somebody()] as const;
    const send = (i: 0 | 1) => senders[i].submit(source);
    expect((await send(0)).status).toBe(201);
    expect((await send(0)).headers.get('ratelimit-policy')).toBe('"ip";q=2;w=3, "source";q=3;w=3');
    // Within the window the third of one client, and the fourth overall, are refused; after it, they are let in.
    const outcomes = await Promise.all([send(0), send(0), send(1), send(1)]);
    expect(outcomes.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(2);
    let again = await send(0);
    // When the server said it would, it lets the client in again.
    while (again.status === 429) {
      await delay(Number(again.headers.get('retry-after')) * 1_000);
      again = await send(0);
    }
    expect(again.status).toBe(201);
  });

  test('counts an IPv6 network of 64 bits as one client, an IPv4 address as itself in either notation', async () => {
    const network = `2001:db8:${randomUUID().slice(0, 4)}:1`;
    const limited = await newSource(organization, { rateLimit: { perIp: 1, perSource: 100, windowSeconds: 60 } });
    const from = async (address: string) => (await visitor(system.baseUrl, address).submit(limited)).status;
    expect([await from(`${network}::1`), await from(`${network}:ffff::2`)]).toEqual([201, 429]);
    expect(await from(`${network.slice(0, -1)}2::1`)).toBe(201);
    expect([await from('198.51.100.7'), await from('::ffff:198.51.100.7'), await from('198.51.100.8')]).toEqual([
      201, 429, 201,
    ]);
  });

  test('trusts what a trusted proxy adds, not what the client wrote before it', async () => {
    const limited = await newSource(organization, { rateLimit: { perIp: 1, perSource: 100, windowSeconds: 60 } });
    const from = async (forwarded: string) => (await visitor(system.baseUrl, forwarded).submit(limited)).status;
    expect([await from('1.2.3.4, 198.51.100.20'), await from('5.6.7.8, 198.51.100.20')]).toEqual([201, 429]);
    expect(await from('198.51.100.20, 198.51.100.21')).toBe(201);
    for (const junk of ['unknown', '_hidden', 'not an address', ',']) expect([201, 429]).toContain(await from(junk));
  });
});

describe('the origin', () => {
  test.each<[string, Record<string, string>, number]>([
    ['allowed', { origin: ORIGIN }, 200],
    ['allowed, of the referrer', { referer: `${ORIGIN}/page` }, 200],
    ['of another site', { origin: 'https://evil.example' }, 403],
    ['of a name that ends alike', { origin: 'https://evilsite.example' }, 403],
    ['the domain itself, under a wildcard', { origin: 'https://site.example' }, 403],
    ['opaque', { origin: 'null' }, 403],
    ['opaque, with a referrer that is allowed', { origin: 'null', referer: `${ORIGIN}/` }, 403],
    ['none', {}, 403],
    ['with the allowed one as user', { origin: `https://www.site.example@evil.example` }, 403],
    ['two', { origin: `${ORIGIN}, https://evil.example` }, 403],
  ])('%s', async (_what, headers, status) => {
    const answer = await somebody().bootstrap(restricted, headers);
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(answer.error.code).toBe('ORIGIN_NOT_ALLOWED');
      if (headers.origin === 'https://evil.example') expect(answer.error.message).toContain('https://evil.example');
    }
  });

  test('does not matter if there is no restriction', async () => {
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'https://anything.example' },
      { origin: 'capacitor://localhost' },
    ]) {
      expect((await somebody().submit(open, {}, headers as Record<string, string>)).status).toBe(201);
    }
  });

  test('and the source are what a token is valid for', async () => {
    const sender = somebody();
    const token = await sender.token(open, { origin: ORIGIN });
    const other = await newSource(organization);
    const tries = [
      await sender.ingest(
        { publicKey: open.publicKey, token, message: 'Other origin' },
        { origin: 'https://b.example' },
      ),
      await sender.ingest({ publicKey: open.publicKey, token, message: 'No origin' }),
      await sender.ingest({ publicKey: other.publicKey, token, message: 'Other source' }, { origin: ORIGIN }),
      await sender.ingest({ publicKey: open.publicKey, token: `${token}x`, message: 'Changed' }, { origin: ORIGIN }),
      await sender.ingest({ publicKey: open.publicKey, token: '', message: 'Empty' }, { origin: ORIGIN }),
    ];
    expect(tries.map(({ status, error }) => `${status} ${error.code}`)).toEqual(
      Array(5).fill('401 WIDGET_TOKEN_INVALID'),
    );
    expect(tries[0]?.headers.get('www-authenticate')).toBeNull();
    expect(
      (await sender.ingest({ publicKey: open.publicKey, token, message: `Right ${token}` }, { origin: ORIGIN })).status,
    ).toBe(201);
  });
});

describe('CORS: a page may read the answer', () => {
  const readable = (headers: Headers, origin = ORIGIN) => {
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toMatch(/\bOrigin\b/);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toMatch(/Retry-After.*RateLimit/);
  };

  test.each<[string, (headers: Record<string, string>) => Promise<{ status: number; headers: Headers }>, number]>([
    ['of bootstrap', (headers) => somebody().bootstrap(open, headers), 200],
    ['of ingest', (headers) => somebody().submit(open, {}, headers), 201],
    ['of an unknown source', (headers) => somebody().bootstrap({ publicKey: UNKNOWN_KEY }, headers), 404],
    ['of a bad body', (headers) => somebody().ingest('{', headers), 400],
    ['of a bad shape', (headers) => somebody().ingest({}, headers), 400],
    [
      'of a bad token',
      (headers) => somebody().ingest({ publicKey: open.publicKey, token: 'x', message: 'x' }, headers),
      401,
    ],
    ['of a body that is too large', (headers) => somebody().ingest('x'.repeat(1024 * 1024 + 1), headers), 413],
    ['of a wrong type', (headers) => somebody().ingest('x', { ...headers, 'content-type': 'text/plain' }), 415],
    ['of a wrong method', (headers) => somebody().fetch('/feedback/ingest', { headers }), 405],
    ['of a path that is not there', (headers) => somebody().fetch('/feedback/nothing', { headers }), 404],
  ])('%s', async (_what, ask, status) => {
    const answer = await ask({ origin: ORIGIN });
    expect(answer.status).toBe(status);
    readable(answer.headers);
  });

  test('of a refused origin, with the reason for the refusal', async () => {
    const { status, headers } = await somebody().bootstrap(restricted, { origin: 'https://evil.example' });
    expect(status).toBe(403);
    readable(headers, 'https://evil.example');
  });

  test('also if it has no origin and the answer varies by that, and then nothing is allowed', async () => {
    const { headers } = await somebody().bootstrap(open);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toMatch(/\bOrigin\b/);
  });

  test.each([
    ['/feedback/widget/bootstrap', 'GET'],
    ['/feedback/widget/challenge', 'GET'],
    ['/feedback/ingest', 'POST'],
  ])('preflight of %s', async (path, method) => {
    const answer = await somebody().fetch(path, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,idempotency-key',
      },
    });
    expect(answer.status).toBe(204);
    readable(answer.headers);
    expect(answer.headers.get('access-control-allow-methods')).toBe(method);
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('idempotency-key');
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  test('is not granted for other paths', async () => {
    const { headers } = await somebody().fetch('/api/me', { headers: { origin: ORIGIN } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('an origin that no browser sends is not echoed in a header', async () => {
    const { hostname, port } = new URL(system.baseUrl);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET /feedback/widget/bootstrap?publicKey=${open.publicKey} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: https://a.example x\xff\r\nOrigin: b\r\n\r\n`,
          'latin1',
        ),
      );
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.toLowerCase()).not.toContain('access-control-allow-origin');
  });
});

describe('a change to a source takes effect within two seconds, at every gateway:', () => {
  const HOLDS_WITHIN_MS = 2_000;

  async function holds(change: () => Promise<unknown>, seen: (i: number) => Promise<boolean>) {
    // Both gateways have just seen it as it was.
    await Promise.all(system.gateways.map((_, i) => seen(i)));
    await change();
    const changedAtMs = performance.now();
    for (const i of system.gateways.keys()) {
      while (!(await seen(i))) expect(performance.now() - changedAtMs).toBeLessThan(HOLDS_WITHIN_MS);
    }
  }
  const patch = (source: Source, change: object) =>
    organization.call('PATCH', `/api/feedback/sources/${source.id}`, change);
  const statusOf = async (source: Source, i: number, headers?: Record<string, string>) =>
    (await visitor(gateway(i)).bootstrap(source, headers)).status;

  test('disabled, it answers like one that does not exist; and enabled again', async () => {
    const source = await newSource(organization);
    await holds(
      () => patch(source, { enabled: false }),
      async (i) => (await statusOf(source, i)) === 404,
    );
    await holds(
      () => patch(source, { enabled: true }),
      async (i) => (await statusOf(source, i)) === 200,
    );
  });

  test('other domains', async () => {
    const source = await newSource(organization, { allowedDomains: ['a.example'] });
    await holds(
      () => patch(source, { allowedDomains: ['b.example'] }),
      async (i) => (await statusOf(source, i, { origin: 'https://b.example' })) === 200,
    );
    expect(await statusOf(source, 0, { origin: 'https://a.example' })).toBe(403);
  });

  test('deleted', async () => {
    const source = await newSource(organization);
    await holds(
      () => organization.call('DELETE', `/api/feedback/sources/${source.id}`),
      async (i) => (await statusOf(source, i)) === 404,
    );
  });
});

describe('Idempotency-Key', () => {
  test('the same key and submission is answered as the first time, with any token, by any gateway', async () => {
    const key = { 'idempotency-key': `retry ${randomUUID()}` };
    const body = { message: `Once ${randomUUID()}`, email: 'ada@example.com' };
    const first = await visitor(gateway(0)).submit(open, body, key);
    const again = await visitor(gateway(1)).submit(open, body, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.data).toEqual(first.data);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  test('twenty at once over two gateways leave one item and get twenty equal answers', async () => {
    const source = await newSource(organization);
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => visitor(gateway(i)).submit(source, { message: 'Once' }, key)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(await inboxOf(source)).toHaveLength(1);
  });

  test('with another submission is 409, and a refused one leaves the key unused', async () => {
    const key = { 'idempotency-key': randomUUID() };
    expect((await somebody().submit(open, { message: '' }, key)).status).toBe(400);
    expect((await somebody().submit(open, { message: `One ${randomUUID()}` }, key)).status).toBe(201);
    const other = await somebody().submit(open, { message: `Another ${randomUUID()}` }, key);
    expect([other.status, other.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('belongs to its source: another source knows nothing of it', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const other = await newSource(organization);
    const [one, two] = [await somebody().submit(open, {}, key), await somebody().submit(other, {}, key)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.data.id).not.toBe(two.data.id);
  });

  test.each(['', 'x'.repeat(256), 'tab\there', 'ünicode'])('%j is not valid', async (key) => {
    const { status, error } = await somebody().submit(open, {}, { 'idempotency-key': key });
    expect([status, error.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

/** What the source's organization sees of the last days. */
const outcomes = async ({ id }: Source) =>
  (await organization.call<{ days: object[] }>('GET', `/api/feedback/sources/${id}/outcomes`)).data.days;
const none = { accepted: 0, duplicate: 0, rate: 0, quota: 0, captcha: 0, origin: 0, invalid: 0 };

test('what becomes of submissions is counted by source and day, a repetition not again', async () => {
  const source = await newSource(organization, {
    ...{ allowedDomains: ['*.site.example'], rateLimit: { perIp: 7, perSource: 100, windowSeconds: 60 } },
  });
  expect(await outcomes(source)).toEqual([]);
  const from = { origin: ORIGIN };
  const sender = somebody();
  const token = await sender.token(source, from);
  const good = () => ({ publicKey: source.publicKey, token, message: `Counted ${randomUUID()}` });
  const twice = good();
  const key = { ...from, 'idempotency-key': randomUUID() };
  const statuses = [
    await sender.ingest(twice, key),
    await sender.ingest(twice, key),
    await sender.ingest(twice, from),
    await sender.ingest(good(), from),
    await sender.ingest(good(), { origin: 'https://evil.example' }),
    await sender.ingest({ ...good(), token: 'x' }, from),
    await sender.ingest({ ...good(), message: '' }, from),
    await sender.ingest(good(), from),
    await sender.ingest(good(), from),
    await sender.bootstrap(source, { origin: 'https://evil.example' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 409, 201, 403, 401, 400, 201, 429, 403]);
  const counted = {
    ...none,
    day: new Date().toISOString().slice(0, 10),
    accepted: 3,
    duplicate: 1,
    origin: 2,
    invalid: 2,
    rate: 1,
  };
  await expect.poll(() => outcomes(source)).toEqual([counted]);

  // Public keys that a stranger makes up keep none of it out, though there are too many to be counted.
  const stranger = somebody();
  const floods = Array.from({ length: 250 }, (_, i) => {
    const publicKey = `pk_${i.toString().padStart(24, 'x')}`;
    return stranger.ingest({ ...good(), publicKey, message: '' }, from);
  });
  expect(new Set((await Promise.all(floods)).map(({ status }) => status))).toEqual(new Set([400]));
  expect((await sender.ingest({ ...good(), message: '' }, from)).status).toBe(400);
  await expect.poll(() => outcomes(source)).toEqual([{ ...counted, invalid: 3 }]);
  const foreign = await system.newOrganization();
  expect((await foreign.call('GET', `/api/feedback/sources/${source.id}/outcomes`)).status).toBe(404);
});

test('an organization accepts as many submissions a day as it says, over all its sources and gateways, and refusals do not count', async () => {
  const { data } = await organization.call('PATCH', '/api/organization', { feedbackPerDay: 5 });
  expect(data).toEqual({ id: organization.organizationId, name: expect.any(String), feedbackPerDay: 5 });
  const [one, other] = [await newSource(organization), await newSource(organization)];
  const message = `Once ${randomUUID()}`;
  const answer = await somebody().submit(one, { message });
  expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([
    201,
    '"ip";q=10;w=60, "source";q=600;w=60, "day";q=5;w=86400',
  ]);
  expect(answer.headers.get('ratelimit')).toMatch(/"day";r=4;t=86\d{3}$/);
  expect((await somebody().submit(one, { message })).status).toBe(409);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => visitor(gateway(i)).submit(i % 3 === 0 ? one : other)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill(201), ...Array(26).fill(429)]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('organization') });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(86_000);
  const quota = async () =>
    (await Promise.all([one, other].map(outcomes))).flat().reduce((sum, day) => sum + (day as typeof none).quota, 0);
  await expect.poll(quota).toBe(26);

  expect((await organization.call('PATCH', '/api/organization', { feedbackPerDay: null })).data.feedbackPerDay).toBe(
    null,
  );
  expect((await organization.call('GET', '/api/organization')).data.feedbackPerDay).toBe(null);
  const status = async () => (await somebody().submit(one)).status;
  await expect.poll(status).toBe(201);
});

test('with its key, what was accepted before the quota was used up gets its answer again', async () => {
  const own = await system.newOrganization();
  await own.call('PATCH', '/api/organization', { feedbackPerDay: 1 });
  const source = await newSource(own);
  const keyed = { 'idempotency-key': randomUUID() };
  const message = `Once ${randomUUID()}`;
  const first = await somebody().submit(source, { message }, keyed);
  expect(first.status).toBe(201);
  expect((await somebody().submit(source)).status).toBe(429);
  const again = await somebody().submit(source, { message }, keyed);
  expect(again).toMatchObject({ status: 201, data: first.data });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await somebody().submit(source, { message: 'Another' }, keyed)).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  const other = { 'idempotency-key': randomUUID() };
  for (let time = 0; time < 2; time++) expect((await somebody().submit(source, {}, other)).status).toBe(429);
});

test('only owners and admins set the quota', async () => {
  const member = await organization.newUser();
  expect((await member.call('PATCH', '/api/organization', { feedbackPerDay: 9 })).status).toBe(403);
  expect((await member.call('GET', '/api/organization')).status).toBe(200);
  for (const feedbackPerDay of [0, -1, 1.5, '5']) {
    expect((await organization.call('PATCH', '/api/organization', { feedbackPerDay })).status).toBe(400);
  }
});
