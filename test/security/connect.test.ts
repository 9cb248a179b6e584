import { request } from 'node:http';
import type { AuditEntry } from '@worktrack/contracts/audit/entry';
import {
  ACCESS_TOKEN_MARK,
  assembleKey,
  KEY_MARK,
  KEY_RANDOM_LENGTH,
  type Mark,
} from '@worktrack/contracts/keys/key-format';
import { RESOURCES } from '@worktrack/contracts/keys/records';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { newKey } from '@worktrack/runtime/process/new-key';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AppServer,
  approve,
  askToken,
  asPerson,
  authorizeParameters,
  challengeOf,
  connectApp,
  newVerifier,
  openAuthorize,
  openPage,
  sendMessage,
} from '../support/app.ts';
import { ownPage, rawRequest, signIn } from '../support/browser-request.ts';
import { TestIssuer } from '../support/issuer.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

/*
 * What somebody could try at `/connect`, most of it made by changing one thing of what works. Each attack says what it got: nothing, or it has succeeded. That what works
 * does work is tested first, and with each family.
 */

let system: System;
let base: string;
let organization: TestOrganization;
let apps: AppServer;
let issuer: TestIssuer;
/** Of the owner's session. */
let cookie: string;
let clientId: string;
beforeAll(async () => {
  system = await sharedSystem();
  base = system.baseUrl;
  organization = await system.newOrganization();
  [apps, issuer] = await Promise.all([AppServer.start(), TestIssuer.start()]);
  cookie = await signIn(base, { apiKey: organization.apiKey });
  clientId = apps.publish();
});
afterAll(async () => {
  await apps?.stop();
  await issuer?.stop();
});

type Changes = Readonly<Record<string, string | undefined>>;

describe('a request that a stranger made up, and that the person allows all the same, gets no code', () => {
  async function codeFor(parameters: URLSearchParams): Promise<string | null> {
    const id = await openAuthorize(base, parameters);
    try {
      return (await approve(base, cookie, id)).searchParams.get('code');
    } catch {
      return null;
    }
  }

  test.each<[string, Changes]>([
    ['without resource', {}],
    ['for /connect', { resource: 'BASE/connect' }],
    ['for /connect/readonly', { resource: 'BASE/connect/readonly' }],
    ['with a scope', { scope: 'work-items:read offline_access' }],
    ['without state', { state: undefined }],
    ['for an answer in the query', { response_mode: 'query' }],
  ])('but one that is right does: %s', async (_, changes) => {
    expect(await codeFor(parametersOf(changes))).toMatch(/^wta_/);
  });

  const parametersOf = (changes: Changes) => {
    const given = Object.entries(changes).map(([name, value]) => [name, value?.replace('BASE', base)]);
    return authorizeParameters(clientId, newVerifier(), Object.fromEntries(given));
  };

  test.each<[string, Changes]>([
    ...[undefined, '', 'plain', 's256', 'none'].map((method): [string, Changes] => [
      `PKCE by the method ${method}`,
      { code_challenge_method: method },
    ]),
    ...[undefined, '', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`].map((challenge): [string, Changes] => [
      `PKCE with the challenge ${challenge}`,
      { code_challenge: challenge },
    ]),
    ...[undefined, 'token', 'id_token', 'code token', 'none'].map((type): [string, Changes] => [
      `the response type ${type}`,
      { response_type: type },
    ]),
    ...['fragment', 'form_post', 'query fragment'].map((mode): [string, Changes] => [
      `the response mode ${mode}`,
      { response_mode: mode },
    ]),
    ...[
      ...['BASE', 'BASE/mcp', 'BASE/api', 'BASE/connect/', 'BASE/connect/readonly/x', 'BASE/connect#x', 'connect'],
      ...['https://evil.example/connect', 'BASE.evil.example/connect', 'BASE@evil.example/connect'],
    ]
      // A slash at the end is the same resource.
      .filter((resource) => resource !== 'BASE/connect/')
      .map((resource): [string, Changes] => [`the resource ${resource}`, { resource }]),
    ...[
      ...['https://evil.example/callback', 'https://app.example/callback/', 'https://app.example/callback?x=1'],
      ...['https://app.example.evil.example/callback', 'https://app.example@evil.example/callback'],
      ...['https://app.example/callback#', 'https://app.example/callback/../evil', 'http://app.example/callback'],
      ...['http://127.0.0.1:4711/evil', 'http://127.0.0.1:4711@evil.example/callback', 'http://127.0.0.2/callback'],
      ...[
        'http://localhost:4711/callback',
        'javascript:alert(1)',
        'cursor://evil/callback',
        '//evil.example',
        undefined,
      ],
    ].map((redirect): [string, Changes] => [`the redirect ${redirect}`, { redirect_uri: redirect }]),
    ['no client', { client_id: undefined }],
    ['a client that nobody knows', { client_id: 'wtc_unknown' }],
    ['a client by a file', { client_id: 'file:///etc/passwd' }],
    ['a client in another network', { client_id: 'http://169.254.169.254/latest/meta-data/' }],
  ])('%s', async (_, changes) => expect(await codeFor(parametersOf(changes))).toBeNull());

  test.each(['client_id', 'redirect_uri', 'state', 'code_challenge', 'response_type', 'scope'])(
    '%s twice',
    async (name) => {
      const parameters = parametersOf({ scope: 'work-items:read' });
      parameters.append(name, parameters.get(name) ?? '');
      expect(await codeFor(parameters)).toBeNull();
    },
  );

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['names another client', { client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata' }],
    ['leads elsewhere', { redirect_uris: ['https://evil.example/callback'] }],
  ])('a document that %s', async (_, more) => {
    expect(await codeFor(parametersOf({ client_id: apps.publish(more) }))).toBeNull();
  });

  test('two resources at once', async () => {
    const parameters = parametersOf({ resource: `${base}/connect` });
    parameters.append('resource', `${base}/connect/readonly`);
    expect(await codeFor(parameters)).toBeNull();
  });
});

describe('what is allowed is decided by the person who looks at it, and by nobody else', () => {
  const READ = { permissions: ['work-items:read'] };
  let id: string;
  const begin = async () => {
    id = await openAuthorize(base, authorizeParameters(clientId, newVerifier(), { scope: 'work-items:read' }));
    await openPage(base, cookie, id);
  };
  const path = () => `/api/connections/${id}/approve`;
  const json = { 'content-type': 'application/json' };

  test.each<[string, () => Promise<{ readonly status: number; readonly text?: string }>]>([
    ['with nothing', () => rawRequest(base + path(), 'POST', json, JSON.stringify(READ))],
    [
      'by a page of another site',
      () =>
        asPerson(base, cookie, 'POST', path(), READ, {
          origin: 'https://evil.example',
          'sec-fetch-site': 'cross-site',
        }),
    ],
    [
      'by a page of a sister site',
      () =>
        asPerson(base, cookie, 'POST', path(), READ, {
          origin: 'http://evil.localhost',
          'sec-fetch-site': 'same-site',
        }),
    ],
    ['by a form of a page', () => asPerson(base, cookie, 'POST', path(), READ, { 'content-type': 'text/plain' })],
    ['by a link', () => asPerson(base, cookie, 'GET', path())],
    [
      'with a key',
      () =>
        rawRequest(
          base + path(),
          'POST',
          { ...json, authorization: `Bearer ${organization.apiKey}` },
          JSON.stringify(READ),
        ),
    ],
    [
      'by an app',
      async () => {
        const { access_token: token } = await connectApp(base, cookie, clientId);
        return rawRequest(base + path(), 'POST', { ...json, authorization: `Bearer ${token}` }, JSON.stringify(READ));
      },
    ],
    ['by somebody who has not looked at it', async () => asPerson(base, await otherPerson(), 'POST', path(), READ)],
    [
      'after somebody else has looked at it',
      async () => {
        await openPage(base, await otherPerson(), id);
        return asPerson(base, cookie, 'POST', path(), READ);
      },
    ],
    ['for more than it asks for', () => asPerson(base, cookie, 'POST', path(), { permissions: ['work-items:write'] })],
    ['for what is no permission', () => asPerson(base, cookie, 'POST', path(), { permissions: ['*'] })],
    ['for nothing', () => asPerson(base, cookie, 'POST', path(), { permissions: [] })],
    ['for ever', () => asPerson(base, cookie, 'POST', path(), { ...READ, expiresInDays: 366 })],
    ['for a project of others', () => asPerson(base, cookie, 'POST', path(), { ...READ, projects: [id] })],
    [
      'twice',
      async () => {
        await asPerson(base, cookie, 'POST', path(), READ);
        return asPerson(base, cookie, 'POST', path(), READ);
      },
    ],
    [
      'once it is refused',
      async () => {
        await asPerson(base, cookie, 'POST', `/api/connections/${id}/deny`);
        return asPerson(base, cookie, 'POST', path(), READ);
      },
    ],
    [
      'with a session that is over',
      async () => {
        const over = await signIn(base, { apiKey: organization.apiKey });
        await openPage(base, over, id);
        expect((await asPerson(base, over, 'DELETE', '/console/session')).status).toBe(204);
        return asPerson(base, over, 'POST', path(), READ);
      },
    ],
  ])('not %s', async (_, attack) => {
    await begin();
    const { status } = await attack();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test('but by them it is', async () => {
    await begin();
    expect((await asPerson(base, cookie, 'POST', path(), READ)).status).toBe(201);
  });

  const otherPerson = async () => signIn(base, { apiKey: (await system.newOrganization()).apiKey });

  test('in no frame, and by no page that was there before', async () => {
    const { headers } = await rawRequest(`${base}/console/connect/${id}`, 'GET', {});
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const redirected = await rawRequest(`${base}/connect/authorize?client_id=x`, 'GET', {});
    expect(redirected.headers['referrer-policy']).toBe('no-referrer');
    expect(redirected.headers['access-control-allow-origin']).toBeUndefined();
  });
});

test('while documents of apps never come, as many as may be waited for, keys are looked up as always', async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let waiting = 0;
  const asked: Promise<void>[] = [];
  try {
    for (const localAddress of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      for (let nth = 0; nth < 5; nth++) {
        const path = `/silent/${localAddress}/${nth}.json`;
        apps.answers.set(path, (_request, response) => void isOver.then(() => response.destroy()));
        const url = `${base}/connect/authorize?${authorizeParameters(`${apps.url}${path}`, newVerifier())}`;
        waiting++;
        const answered = new Promise<void>((resolve, reject) => {
          request(url, { localAddress }, (response) => response.resume().on('end', resolve))
            .on('error', reject)
            .end();
        });
        asked.push(answered.finally(() => waiting--));
        // Each in a message of its own.
        await expect.poll(() => apps.fetches.get(path), { interval: 5 }).toBe(1);
      }
    }
    const { status } = await fetch(`${base}/api/me`, { headers: { authorization: `Bearer ${newKey(KEY_MARK)}` } });
    expect({ status, waiting }).toEqual({ status: 401, waiting: 20 });
  } finally {
    end();
    await Promise.all(asked);
  }
});

describe('a code and a refresh token', () => {
  const redirect = 'http://127.0.0.1:4711/callback';

  async function newCode() {
    const verifier = newVerifier();
    const id = await openAuthorize(base, authorizeParameters(clientId, verifier));
    const code = (await approve(base, cookie, id)).searchParams.get('code') ?? '';
    return {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: clientId,
      redirect_uri: redirect,
    };
  }
  const newRefresh = async () => ({
    grant_type: 'refresh_token',
    refresh_token: (await connectApp(base, cookie, clientId)).refresh_token,
    client_id: clientId,
  });
  type Form = Readonly<Record<string, string>>;

  const without = (form: Form, name: string) =>
    Object.fromEntries(Object.entries(form).filter(([key]) => key !== name));

  test.each([newCode, newRefresh])('gives tokens to the app that has it', async (make) => {
    expect((await askToken(base, await make())).status).toBe(200);
  });

  test.each<[string, () => Promise<Form>, (form: Form) => Form]>([
    ...['code', 'code_verifier', 'client_id', 'grant_type'].map(
      (name): [string, typeof newCode, (form: Form) => Form] => [
        `a code without ${name}`,
        newCode,
        (form) => without(form, name),
      ],
    ),
    ['a code of another app', newCode, (form) => ({ ...form, client_id: apps.publish() })],
    ['a code with another verifier', newCode, (form) => ({ ...form, code_verifier: newVerifier() })],
    [
      'a code with its challenge',
      newCode,
      (form) => ({ ...form, code_verifier: challengeOf(form.code_verifier ?? '') }),
    ],
    ['a code with another redirect', newCode, (form) => ({ ...form, redirect_uri: 'http://127.0.0.1:4712/callback' })],
    ['a code for another resource', newCode, (form) => ({ ...form, resource: `${base}/connect/readonly` })],
    ['a code for a foreign resource', newCode, (form) => ({ ...form, resource: 'https://evil.example/connect' })],
    ['a code that differs in its last letter', newCode, (form) => ({ ...form, code: altered(form.code ?? '') })],
    [
      'a code as a refresh token',
      newCode,
      ({ code = '' }) => ({ grant_type: 'refresh_token', client_id: clientId, refresh_token: code }),
    ],
    [
      'a code by another grant',
      newCode,
      (form) => ({ ...form, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }),
    ],
    ['a refresh token without client_id', newRefresh, (form) => without(form, 'client_id')],
    ['a refresh token of another app', newRefresh, (form) => ({ ...form, client_id: apps.publish() })],
    ['a refresh token for another resource', newRefresh, (form) => ({ ...form, resource: `${base}/connect/readonly` })],
    [
      'a refresh token that differs in its last letter',
      newRefresh,
      (form) => ({ ...form, refresh_token: altered(form.refresh_token ?? '') }),
    ],
    ['a key as a refresh token', newRefresh, (form) => ({ ...form, refresh_token: organization.apiKey })],
    ['a session as a refresh token', newRefresh, (form) => ({ ...form, refresh_token: cookie.split('=')[1] ?? '' })],
    ...[
      'password',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ].map((grant): [string, typeof newRefresh, (form: Form) => Form] => [
      `the grant ${grant}`,
      newRefresh,
      (form) => ({ ...form, grant_type: grant, username: 'a', password: 'b', assertion: 'c' }),
    ]),
  ])('gives nothing: %s', async (_, make, change) => {
    const { status, body, headers } = await askToken(base, change(await make()));
    expect([status >= 400 && status < 500, 'access_token' in body]).toEqual([true, false]);
    expect(headers.get('cache-control')).toBe('no-store');
    // Of all that may be wrong, only this is not the person's to mend.
    expect(String(body.error_description).startsWith('resource is not')).toBe(body.error === 'invalid_target');
  });

  test.each<[string, (form: Form) => Promise<Response>]>([
    ['in the address', (form) => fetch(`${base}/connect/token?${new URLSearchParams(form)}`, { method: 'POST' })],
    ['by GET', (form) => fetch(`${base}/connect/token?${new URLSearchParams(form)}`)],
    [
      'as JSON',
      (form) =>
        fetch(`${base}/connect/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(form),
        }),
    ],
    [
      'twice in one request',
      (form) =>
        fetch(`${base}/connect/token`, {
          method: 'POST',
          body: new URLSearchParams([...Object.entries(form), ['code', form.code ?? '']]),
        }),
    ],
    [
      'at the endpoint of CI',
      (form) => fetch(`${base}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }),
    ],
  ])('gives nothing: %s', async (_, attack) => {
    expect((await attack(await newCode())).status).toBeGreaterThanOrEqual(400);
  });

  test('gives no more than was allowed, whatever is asked for', async () => {
    const { refresh_token: refresh } = await connectApp(base, cookie, clientId, {
      consent: { permissions: ['work-items:read'] },
    });
    const form = {
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: clientId,
      scope: 'work-items:write users:write',
    };
    expect((await askToken(base, form)).body.scope).toBe('work-items:read');
  });

  test('that comes twice ends what it gave, for whoever has it, and is entered with where it came from', async () => {
    const form = await newCode();
    const [first, second] = [await askToken(base, form), await askToken(base, form)];
    expect([first.status, second.status, second.body.error]).toEqual([200, 400, 'invalid_grant']);
    expect(await statusAt('/connect', first.body.access_token)).toBe(401);
    const { body } = await askToken(base, {
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token,
      client_id: clientId,
    });
    expect(body.error).toBe('invalid_grant');
    const contexts = async () => {
      const { data } = await organization.call<{ entries: AuditEntry[] }>('GET', '/api/audit?action=grants.reuse');
      return data.entries.map(({ context }) => context);
    };
    await expect
      .poll(contexts)
      .toMatchObject([{ address: expect.stringContaining('127.0.0.1'), userAgent: expect.stringMatching(/./) }]);
  });
});

const randomOf = (text: string) => text.slice(text.indexOf('_') + 1).slice(0, KEY_RANDOM_LENGTH);
const marked = (text: string, mark: Mark) => assembleKey(randomOf(text), mark);
/** As well formed as it was. */
const altered = (text: string) => {
  const random = randomOf(text);
  return assembleKey(`${random.slice(0, -1)}${random.endsWith('a') ? 'b' : 'a'}`, text.slice(0, 4) as Mark);
};

async function statusAt(path: string, token: string | undefined): Promise<number> {
  if (!path.startsWith('/api')) return (await sendMessage(base, token, { method: 'tools/list' }, path)).status;
  return (await fetch(`${base}${path}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } }))
    .status;
}

describe('what is good somewhere is good nowhere else', () => {
  const PLACES = ['/api/me', '/mcp', ...RESOURCES.map((resource) => `/${resource}`)];
  /** Each credential, and where it is taken. */
  const CREDENTIALS: [string, readonly string[], () => Promise<string | undefined>][] = [
    ['nothing', [], async () => undefined],
    ['a key', ['/api/me', '/mcp'], async () => organization.apiKey],
    ['a token of CI', ['/api/me', '/mcp'], tokenOfRule],
    ['a token for /connect', ['/connect'], () => tokenFor('connect')],
    ['a token for /connect/readonly', ['/connect/readonly'], () => tokenFor('connect/readonly')],
    ['a session', [], async () => cookie.split('=')[1]],
    ['a refresh token', [], async () => (await connectApp(base, cookie, clientId)).refresh_token],
    ['a code', [], async () => (await connectApp(base, cookie, clientId)).code],
    ['a made-up token', [], async () => newKey(ACCESS_TOKEN_MARK)],
    ['a token that differs in its last letter', [], async () => altered(await tokenFor('connect'))],
    ['a token with the mark of a key', [], async () => marked(await tokenFor('connect'), KEY_MARK)],
    ['a key with the mark of a token', [], async () => marked(organization.apiKey, ACCESS_TOKEN_MARK)],
    [
      'a token that was given back',
      [],
      async () => {
        const token = await tokenFor('connect');
        await askToken(base, { token, client_id: clientId }, '/connect/revoke');

        return token;
      },
    ],
  ];

  async function tokenFor(resource: string): Promise<string> {
    return (await connectApp(base, cookie, clientId, { more: { resource: `${base}/${resource}` } })).access_token;
  }

  async function tokenOfRule(): Promise<string> {
    const claims = { project: '42', branch: 'main' };
    const { data } = await organization.call<TrustRule>('POST', '/api/trust-rules', {
      ...{ name: 'CI', issuer: issuer.url, claims, permissions: ['work-items:read'] },
    });
    const assertion = issuer.jwt({ ...claims, aud: data.audience });
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    return (await askToken(base, form, '/oauth/token')).body.access_token;
  }

  test.each(CREDENTIALS)('%s', async (_, takenAt, make) => {
    const credential = await make();
    const statuses = await Promise.all(PLACES.map(async (path) => [path, await statusAt(path, credential)]));
    expect(Object.fromEntries(statuses)).toEqual(
      Object.fromEntries(PLACES.map((path) => [path, takenAt.includes(path) ? 200 : 401])),
    );
  });

  test.each(RESOURCES)('a session by its cookie is nothing at /%s, also from the own page', async (resource) => {
    const headers = {
      ...ownPage(base),
      cookie,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await rawRequest(`${base}/${resource}`, 'POST', headers, body)).status).toBe(401);
  });

  test('a token in the address is nothing', async () => {
    const path = `/connect?access_token=${await tokenFor('connect')}`;
    expect(await statusAt(path, undefined)).toBe(401);
  });

  test('a token of another origin’s page is refused before it is looked at', async () => {
    const headers = {
      authorization: `Bearer ${await tokenFor('connect')}`,
      origin: 'https://evil.example',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await rawRequest(`${base}/connect`, 'POST', headers, body)).status).toBe(403);
  });

  test.each([
    'null',
    '[null]',
    '7',
    '{"method":"tools/call","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{"toString":1}}}',
  ])('a token with %s, which is no message, is told so', async (body) => {
    const headers = { authorization: `Bearer ${await tokenFor('connect')}`, 'content-type': 'application/json' };
    const answer = await rawRequest(`${base}/connect`, 'POST', headers, body);
    expect([answer.status < 500, answer.text]).toEqual([true, expect.stringMatching(/"message":"/)]);
  });

  test('a client that sends its name as if it had a secret is told so as HTTP wants it (RFC 6749, 5.2)', async () => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' });
    const asked = (headers: Record<string, string>) =>
      fetch(`${base}/connect/token`, { method: 'POST', headers, body });
    const { status, headers } = await asked({ authorization: `Basic ${btoa('app:')}` });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="worktrack"']);
    expect((await asked({})).headers.get('www-authenticate')).toBeNull();
  });

  test('nobody ends a token that they do not have', async () => {
    const token = await tokenFor('connect');
    const forms: Record<string, string>[] = [
      { token: altered(token) },
      { token: token.slice(0, 12) },
      { token, client_id: apps.publish() },
    ];
    for (const form of forms) {
      expect((await askToken(base, form, '/connect/revoke')).status).toBe(200);
    }
    expect(await statusAt('/connect', token)).toBe(200);
  });
});

test('clients with a key are never led to sign in: nothing at the root, and nothing in what /mcp says', async () => {
  const kinds = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'];
  const paths = kinds.flatMap((kind) => [
    `/.well-known/${kind}`,
    `/.well-known/${kind}/mcp`,
    `/mcp/.well-known/${kind}`,
  ]);
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(base + path)).status));
  expect(new Set(statuses)).toEqual(new Set([404]));
  const { status, headers } = await sendMessage(base, undefined, { method: 'tools/list' }, '/mcp');
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.not.stringContaining('resource_metadata')]);
});
