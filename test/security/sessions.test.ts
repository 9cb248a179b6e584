import { assembleKey, CODE_MARK, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPage, type RawAnswer, rawRequest, signIn } from '../support/browser-request.ts';
import { caller, type TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

const UNKNOWN_ALLOWED = 10;

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem({
    replicas: { gateway: 2, keys: 2 },
    env: { TRUST_PROXY: 'loopback', UNKNOWN_KEYS_PER_IP: String(UNKNOWN_ALLOWED) },
  });
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

type Headers = Readonly<Record<string, string>>;
const JSON_BODY = { 'content-type': 'application/json' };

/** A cookie of one gateway is also one of the other here: browsers keep them by port. */
function cookieFor(gateway: number, cookie: string): string {
  return cookie.replace(/-\d+=/, `-${new URL(system.gateways[gateway] as string).port}=`);
}

function send(gateway: number, method: string, path: string, headers: Headers, body?: unknown): Promise<RawAnswer> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return rawRequest(`${system.gateways[gateway]}${path}`, method, headers, text);
}

let asked = 0;

/** With the cookie, as the console sends it. Each from a different address, so that sessions that have ended do not use up its allowance for them. */
function ask(cookie: string, method: string, path: string, body?: unknown, gateway = 0): Promise<RawAnswer> {
  const address = { 'x-forwarded-for': `198.18.${++asked >> 8}.${asked & 255}` };
  const headers = { ...ownPage(system.gateways[gateway] as string), ...address, cookie: cookieFor(gateway, cookie) };
  return send(gateway, method, path, body === undefined ? headers : { ...headers, ...JSON_BODY }, body);
}

async function statuses(cookie: string): Promise<number[]> {
  return Promise.all([0, 1].map(async (gateway) => (await ask(cookie, 'GET', '/api/me', undefined, gateway)).status));
}

async function newKey(more: object = {}) {
  return (await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'CI', ...more })).data;
}

async function newCode(): Promise<string> {
  return (await organization.call<{ code: string }>('POST', '/api/login-codes', {})).data.code;
}

const attempt = (headers: Headers, body: unknown) => send(0, 'POST', '/console/session', headers, body);

describe('a session', () => {
  test('is a cookie that no script reads, that no other site sends, and that expires after twelve hours', async () => {
    const { status, headers, text } = await attempt(
      { ...ownPage(system.baseUrl), ...JSON_BODY },
      { apiKey: organization.apiKey },
    );
    expect([status, text]).toEqual([204, '']);
    const { port } = new URL(system.baseUrl);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^worktrack-session-${port}=wts_\\w{36}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200$`),
      ),
    ]);
    expect(headers['cache-control']).toBe('no-store');
  });

  test('of a page over HTTPS is for that host alone, and never sent in the clear', async () => {
    for (const origin of ['https://worktrack.example', 'https://localhost:8443']) {
      const headers = { origin, 'sec-fetch-site': 'same-origin', host: 'internal:3000', ...JSON_BODY };
      const answer = await attempt(headers, { code: await newCode() });
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-worktrack-session=wts_\w{36}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
        ),
      ]);
      const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
      expect((await send(0, 'GET', '/api/me', { ...headers, cookie })).status).toBe(200);
    }
  });

  test('is not started over plain HTTP from elsewhere, where no browser would keep it, and the code remains valid', async () => {
    const code = await newCode();
    const headers = { origin: 'http://worktrack.example', 'sec-fetch-site': 'same-origin', ...JSON_BODY };
    const refused = await attempt({ ...headers, host: 'worktrack.example' }, { code });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    expect(refused.body.error?.message).toContain('HTTPS');
    await signIn(system.baseUrl, { code });
    // Nor is a cookie of that name trusted there: a subdomain could have set it.
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    const elsewhere = await send(0, 'GET', '/api/me', { ...headers, host: 'worktrack.example', cookie });
    expect(elsewhere.body.error?.code).toBe('API_KEY_MISSING');
  });

  test('says whom it speaks for, does what its key may, and is its user in the history', async () => {
    const { id: keyId, key } = await newKey({ permissions: ['work-items:read', 'work-items:write'] });
    const cookie = await signIn(system.baseUrl, { apiKey: key });
    const { data } = (await ask(cookie, 'GET', '/api/me')).body as unknown as {
      data: { key: { id: string }; permissions: string[]; session: { keyId: string } };
    };
    expect(data.permissions).toEqual(['work-items:read', 'work-items:write']);
    expect(data.session.keyId).toBe(keyId);
    expect((await ask(cookie, 'GET', '/api/users')).status).toBe(403);
    const { boardId, columns } = organization;
    const made = await ask(cookie, 'POST', '/api/work-items', {
      title: 'By hand',
      type: 'task',
      boardId,
      boardColumnId: columns.Backlog,
    });
    expect(made.status).toBe(201);
    const { id } = (made.body as unknown as { data: { id: string } }).data;
    const history = await organization.call<{ events: { actor: object }[] }>('GET', `/api/work-items/${id}/events`);
    expect(history.data.events[0]?.actor).toEqual({ userId: organization.userId, keyId: data.key.id });
    const { items } = (await organization.call<{ items: { id: string; keyId: string }[] }>('GET', '/api/sessions'))
      .data;
    expect(items).toContainEqual(expect.objectContaining({ id: data.key.id, keyId }));
  });

  test.each([
    ['its key is revoked', ({ keyId }) => organization.call('DELETE', `/api/api-keys/${keyId}`)],
    ['its user is disabled', ({ userId }) => organization.call('PATCH', `/api/users/${userId}`, { disabled: true })],
    ['it is ended', ({ sessionId }) => organization.call('DELETE', `/api/sessions/${sessionId}`)],
    ['it signs out', ({ cookie }) => ask(cookie, 'DELETE', '/console/session', undefined, 1)],
  ] as [string, (of: Record<'keyId' | 'userId' | 'sessionId' | 'cookie', string>) => Promise<{ status: number }>][])(
    'is accepted by no gateway from the moment this is answered: %s',
    async (_what, end) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const user = await organization.call<{ id: string }>('POST', '/api/users', {
        email,
        name: 'Bob',
        role: 'member',
      });
      const { id: keyId, key } = await newKey({ userId: user.data.id });
      for (let round = 0; round < 3; round++) {
        const by = round === 0 ? { apiKey: key } : { code: await codeOf(key) };
        const cookie = await signIn(system.baseUrl, by);
        expect(await statuses(cookie)).toEqual([200, 200]);
        const me = (await ask(cookie, 'GET', '/api/me')).body as unknown as { data: { key: { id: string } } };
        const load = Array.from({ length: 50 }, () => statuses(cookie));
        const { status } = await end({ keyId, userId: user.data.id, sessionId: me.data.key.id, cookie });
        expect([200, 204]).toContain(status);
        expect(await statuses(cookie)).toEqual([401, 401]);
        await Promise.all(load);
        expect(await statuses(cookie)).toEqual([401, 401]);
        if (_what.startsWith('its')) break;
      }
    },
  );

  test('is removed by signing out, even if it has already ended', async () => {
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    for (const sent of [cookie, cookie, '']) {
      const { status, headers } = await ask(sent, 'DELETE', '/console/session');
      expect(status).toBe(204);
      expect(headers['set-cookie']?.[0]).toMatch(/^worktrack-session-\d+=; .*Max-Age=0$/);
    }
  });

  test('is for the API alone, and a key sent along with it takes precedence', async () => {
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ask(cookie, 'POST', '/mcp', message)).status).toBe(401);
    const headers = { ...ownPage(system.baseUrl), cookie, authorization: `Bearer ${assembleKey('0'.repeat(30))}` };
    expect((await send(0, 'GET', '/api/me', headers)).status).toBe(401);
    const token = cookie.split('=')[1] ?? '';
    expect((await caller(system.baseUrl, token)('GET', '/api/me')).status).toBe(401);
  });
});

describe('over two gateways', () => {
  const invitationOf = async (userId: string, gateway = 0) => {
    const call = caller(system.gateways[gateway] as string, organization.apiKey);
    return call<{ code: string }>('POST', `/api/users/${userId}/invitation`);
  };
  const newUser = async () => {
    const body = { email: `${crypto.randomUUID()}@example.com`, name: 'Grace', role: 'member' };
    return (await organization.call<{ id: string }>('POST', '/api/users', body)).data.id;
  };
  let opened = 0;
  /** Each from an address of its own, since the refused ones count as unknown. */
  const open = (code: string) => {
    const address = { 'x-forwarded-for': `198.19.0.${++opened}` };
    const gateway = opened % 2;
    const headers = { ...ownPage(system.gateways[gateway] as string), ...JSON_BODY, ...address };
    return send(gateway, 'POST', '/console/session', headers, { code });
  };
  const endOf = ({ text }: RawAnswer) => JSON.parse(text).error.details;

  test('an invitation signs in one of many who open it, and the others are told that it was used', async () => {
    const { code } = (await invitationOf(await newUser())).data;
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(code)));
    const [first, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(first?.status).toBe(204);
    for (const other of others) expect(endOf(other)).toEqual([{ path: 'invitation', message: 'used' }]);
  });

  test('of two invitations that are made together, one is good', async () => {
    const id = await newUser();
    const made = await Promise.all([0, 1].map((gateway) => invitationOf(id, gateway)));
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const answers: RawAnswer[] = [];
    for (const { data } of made) answers.push(await open(data.code));
    const [first, other] = answers.toSorted((one, two) => one.status - two.status);
    expect(first?.status).toBe(204);
    expect(other && endOf(other)).toEqual([{ path: 'invitation', message: 'replaced' }]);
  });

  test('an invitation that is withdrawn at one gateway is good at none once that is answered', async () => {
    const id = await newUser();
    const { code } = (await invitationOf(id)).data;
    await caller(system.gateways[1] as string, organization.apiKey)('DELETE', `/api/users/${id}/invitation`);
    for (let time = 0; time < 2; time++) {
      expect(endOf(await open(code))).toEqual([{ path: 'invitation', message: 'withdrawn' }]);
    }
  });
});

async function codeOf(key: string): Promise<string> {
  return (await caller(system.baseUrl, key)<{ code: string }>('POST', '/api/login-codes', {})).data.code;
}

/** What browsers send for a page that is not ours, and what is sent on behalf of nobody's page. */
const FOREIGN: readonly [string, Headers][] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a subdomain, or another port', { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }],
  ['another port, by a browser without fetch metadata', { origin: 'http://127.0.0.1:9' }],
  ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed frame, by a browser without fetch metadata', { origin: 'null' }],
  ['an image or a link of another site', { 'sec-fetch-site': 'cross-site' }],
  ['an image or a link of a subdomain', { 'sec-fetch-site': 'same-site' }],
  ['nobody who says', {}],
];

describe.each(FOREIGN)('a request with the cookie from %s', (_whom, headers) => {
  test('neither reads nor writes', async () => {
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    const form = 'application/x-www-form-urlencoded';
    const requests: [string, string, string?, string?][] = [
      ['GET', '/api/me'],
      ['GET', '/api/work-items'],
      ['HEAD', '/api/me'],
      ['GET', '/api/events/stream'],
      ['POST', '/api/projects', 'application/json', '{"name":"Stolen","key":"S"}'],
      ['POST', '/api/projects', 'text/plain', '{"name":"Stolen","key":"S"}'],
      ['POST', '/api/projects', form, 'name=Stolen&key=S'],
      ['POST', '/api/api-keys', undefined, undefined],
      ['POST', `/api/work-items/${crypto.randomUUID()}/attachments`, 'multipart/form-data; boundary=x', '--x--'],
      ['PATCH', `/api/projects/${organization.projectId}`, 'application/json', '{"name":"Stolen"}'],
      ['DELETE', `/api/projects/${organization.projectId}`],
      ['DELETE', '/console/session'],
    ];
    for (const [method, path, type, body] of requests) {
      const all = { ...headers, cookie, ...(type === undefined ? {} : { 'content-type': type }) };
      const answer = await send(0, method, path, all, body);
      // Nor does a route that does not exist reveal anything.
      expect([403, 404], `${method} ${path}`).toContain(answer.status);
      if (answer.status === 403 && method !== 'HEAD') expect(answer.body.error?.code).toBe('ORIGIN_NOT_ALLOWED');
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await ask(cookie, 'GET', '/api/me')).status).toBe(200);
    const { projects } = (await organization.call<{ projects: { name: string }[] }>('GET', '/api/projects')).data;
    expect(projects.map(({ name }) => name)).not.toContain('Stolen');
  });

  test('signs nobody in, as its own user or another (login CSRF), and leaves the code unchanged', async () => {
    const code = await newCode();
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await attempt({ ...headers, 'content-type': type }, JSON.stringify({ code }));
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    await signIn(system.baseUrl, { code });
  });
});

test('an address that the user types reads with the session, and writes nothing', async () => {
  const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
  const typed = { cookie, 'sec-fetch-site': 'none' };
  expect((await send(0, 'GET', '/api/me', typed)).status).toBe(200);
  expect((await send(0, 'POST', '/api/projects', { ...typed, ...JSON_BODY }, '{}')).status).toBe(403);
});

test('no preflight lets a page of another origin send the cookie', async () => {
  for (const path of ['/api/me', '/api/work-items', '/console/session', '/feedback/ingest', '/widget.js', '/mcp']) {
    const { headers } = await send(0, 'OPTIONS', path, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  }
});

describe('made-up credentials', () => {
  const from = (address: string) => ({ ...ownPage(system.baseUrl), 'x-forwarded-for': address });
  let number = 0;
  const random = () => `${++number}`.padStart(30, '0');

  test.each([
    ['codes', (headers: Headers) => attempt({ ...headers, ...JSON_BODY }, { code: assembleKey(random(), CODE_MARK) })],
    ['keys', (headers: Headers) => attempt({ ...headers, ...JSON_BODY }, { apiKey: assembleKey(random()) })],
    [
      'sessions',
      (headers: Headers) => {
        const { port } = new URL(system.baseUrl);
        const cookie = `worktrack-session-${port}=${assembleKey(random(), SESSION_MARK)}`;
        return send(0, 'GET', '/api/me', { ...headers, cookie });
      },
    ],
  ] as [string, (headers: Headers) => Promise<RawAnswer>][])(
    '%s are refused without a lookup past the limit of their address',
    async (what, make) => {
      const headers = from(`192.0.2.${what.length}`);
      const answers = await Promise.all(Array.from({ length: 3 * UNKNOWN_ALLOWED }, () => make(headers)));
      const of = (status: number) => answers.filter((answer) => answer.status === status).length;
      expect([of(401), of(429)]).toEqual([UNKNOWN_ALLOWED, 2 * UNKNOWN_ALLOWED]);
    },
  );

  test('or malformed, or neither or both of the two, are refused with the reason', async () => {
    const headers = { ...from('192.0.2.100'), ...JSON_BODY };
    const code = await newCode();
    expect((await attempt(headers, { code: `${code}x` })).body.error?.code).toBe('API_KEY_INVALID');
    for (const body of [
      {},
      { code, apiKey: organization.apiKey },
      { code, more: 1 },
      { code: 'x'.repeat(300) },
      '[]',
    ]) {
      expect((await attempt(headers, body)).body.error?.code).toBe('VALIDATION_FAILED');
    }
    expect((await attempt(headers, { code: 'x'.repeat(70_000) })).status).toBe(413);
  });

  test('do not get in the way of valid codes', async () => {
    for (let i = 0; i < 2 * UNKNOWN_ALLOWED; i++) {
      const headers = { ...from('192.0.2.101'), ...JSON_BODY };
      expect((await attempt(headers, { code: await newCode() })).status).toBe(204);
    }
  });
});

test('the sessions of a key have no more requests than the key itself', async () => {
  const { key } = await newKey({ rateLimit: { requests: 12, windowSeconds: 3_600 } });
  // Four requests: two with the key to sign in, a code, and one more.
  const cookies = [await signIn(system.baseUrl, { apiKey: key }), await signIn(system.baseUrl, { apiKey: key })];
  cookies.push(await signIn(system.baseUrl, { code: await codeOf(key) }));
  expect((await caller(system.baseUrl, key)('GET', '/api/me')).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask(cookies[i % 3] as string, 'GET', '/api/me', undefined, i % 2)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(12);
  expect((await caller(system.baseUrl, key)('GET', '/api/me')).status).toBe(429);
});

test('whoever was signed in with the key of another user has as many requests as that, and uses up none of them', async () => {
  const { key } = await newKey({ rateLimit: { requests: 30, windowSeconds: 3_600 } });
  const byKey = caller(system.baseUrl, key);
  const email = `${crypto.randomUUID()}@example.com`;
  const { data: bob } = await byKey<{ id: string }>('POST', '/api/users', { email, name: 'Bob', role: 'viewer' });
  const { data } = await byKey<{ code: string }>('POST', '/api/login-codes', { userId: bob.id });
  const cookie = await signIn(system.baseUrl, { code: data.code });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => ask(cookie, 'GET', '/api/me', undefined, i % 2)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(await byKey('GET', '/api/me')).toMatchObject({ status: 200 });
});
