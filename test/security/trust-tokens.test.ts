import type { Identity } from '@worktrack/contracts/keys/identity';
import { isWellFormedKey, TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../support/issuer.ts';
import { caller, type TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { listTools } from '../support/tool-call.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';
const CLAIMS = { project: '42', branch: 'main' };

let system: Awaited<ReturnType<typeof startSystem>>;
let gateways: readonly string[];
let issuer: TestIssuer;
let organization: TestOrganization;
let rule: TrustRule;
beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, keys: 2 } });
  gateways = system.gateways;
  issuer = await TestIssuer.start();
  organization = await system.newOrganization();
  rule = await newRule();
});
afterAll(async () => {
  await system?.stop();
  await issuer?.stop();
});

async function newRule(given: object = {}): Promise<TrustRule> {
  const { data } = await organization.call<TrustRule>('POST', '/api/trust-rules', {
    ...{ name: 'CI', issuer: issuer.url, claims: CLAIMS, permissions: ['work-items:read'] },
    ...given,
  });
  return data;
}

const jwtFor = ({ audience }: TrustRule, more: object = {}) => issuer.jwt({ ...CLAIMS, aud: audience, ...more });

interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function ask(
  form: Record<string, string> | [string, string][],
  gateway = gateways[0],
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const body = new URLSearchParams(form);
  const response = await fetch(`${gateway}/oauth/token`, { method: 'POST', body, headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const exchangeForm = (jwt: string) => ({ grant_type: EXCHANGE, subject_token: jwt, subject_token_type: JWT_TYPE });
const bearerForm = (jwt: string) => ({ grant_type: JWT_BEARER, assertion: jwt });

async function tokenOf(of: TrustRule): Promise<string> {
  const { body } = await ask(bearerForm(jwtFor(of)));
  return body.access_token as string;
}

describe('POST /oauth/token', () => {
  test.each([
    ['token exchange', exchangeForm, { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }],
    [
      'token exchange of an ID token',
      (jwt: string) => ({ ...exchangeForm(jwt), subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
      { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
    ],
    ['the JWT bearer grant', bearerForm, {}],
  ])('answers %s with a token that /api and /mcp take', async (_, form, more) => {
    const { status, headers, body } = await ask(form(jwtFor(rule)));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { access_token: token, expires_in: seconds, ...rest } = body;
    expect(rest).toEqual({ token_type: 'Bearer', scope: 'work-items:read', ...more });
    expect(isWellFormedKey(token as string, TRUST_TOKEN_MARK)).toBe(true);
    expect(seconds).toBeGreaterThan(590);
    expect(seconds).toBeLessThanOrEqual(600);
    const me = await caller(gateways[1] ?? '', token as string)<Identity>('GET', '/api/me');
    expect(me.data).toMatchObject({ permissions: ['work-items:read'], key: { name: 'CI' }, rule: { id: rule.id } });
    expect(await (await listTools(system.baseUrl, token as string)).text()).toContain('list_work_items');
    expect((await caller(system.baseUrl, token as string)('GET', '/api/users')).status).toBe(403);
  });

  test.each<[string, (jwt: string) => Parameters<typeof ask>[0], number, string]>([
    ['no grant', (jwt) => ({ assertion: jwt }), 400, 'invalid_request'],
    ['another grant', () => ({ grant_type: 'client_credentials' }), 400, 'unsupported_grant_type'],
    ['no JWT', () => ({ grant_type: JWT_BEARER }), 400, 'invalid_request'],
    ['an empty JWT', () => ({ grant_type: JWT_BEARER, assertion: '' }), 400, 'invalid_request'],
    ['no type', (jwt) => ({ grant_type: EXCHANGE, subject_token: jwt }), 400, 'invalid_request'],
    [
      'another type',
      (jwt) => ({ ...exchangeForm(jwt), subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }),
      400,
      'invalid_request',
    ],
    [
      'another type to be given',
      (jwt) => ({ ...exchangeForm(jwt), requested_token_type: JWT_TYPE }),
      400,
      'invalid_request',
    ],
    [
      'an actor',
      (jwt) => ({ ...exchangeForm(jwt), actor_token: jwt, actor_token_type: JWT_TYPE }),
      400,
      'invalid_request',
    ],
    ['a parameter twice', (jwt) => [...Object.entries(bearerForm(jwt)), ['assertion', jwt]], 400, 'invalid_request'],
    [
      'a foreign resource',
      (jwt) => ({ ...exchangeForm(jwt), resource: 'https://evil.example/api' }),
      400,
      'invalid_target',
    ],
    ['a resource that is no address', (jwt) => ({ ...exchangeForm(jwt), audience: 'evil' }), 400, 'invalid_target'],
    [
      'a scope of which the rule has nothing',
      (jwt) => ({ ...bearerForm(jwt), scope: 'users:write' }),
      400,
      'invalid_scope',
    ],
    ['a JWT that is none', () => bearerForm('a.b.c'), 400, 'invalid_grant'],
    ['a long JWT', () => bearerForm('a'.repeat(20_000)), 400, 'invalid_grant'],
    ['a body that is too long', () => bearerForm('a'.repeat(100_000)), 413, 'invalid_request'],
  ])('refuses %s, and takes the JWT from nobody by it', async (_, form, status, error) => {
    const jwt = jwtFor(rule);
    const answer = await ask(form(jwt), gateways[0], { 'x-request-id': 'refused-1' });
    expect([answer.status, answer.body]).toEqual([
      status,
      { error, error_description: expect.any(String), request_id: 'refused-1' },
    ]);
    expect((await ask(bearerForm(jwt))).status).toBe(200);
  });

  test.each<[string, (jwt: string) => Parameters<typeof ask>[0]]>([
    ['Send grant_type: urn:', () => ({})],
    ['Send assertion.', (jwt) => ({ grant_type: JWT_BEARER, subject_token: jwt })],
    ['Send subject_token.', (jwt) => ({ grant_type: EXCHANGE, assertion: jwt })],
    ['Send subject_token_type: urn:', (jwt) => ({ grant_type: EXCHANGE, subject_token: jwt })],
    ['Leave out requested_token_type', (jwt) => ({ ...exchangeForm(jwt), requested_token_type: JWT_TYPE })],
    ['Send each parameter once.', (jwt) => [...Object.entries(bearerForm(jwt)), ['assertion', jwt]]],
  ])('says what to change in a form: %s', async (words, form) => {
    const { body } = await ask(form(jwtFor(rule)));
    expect(body).toMatchObject({ error_description: expect.stringContaining(words) });
  });

  test('refuses a body that is not a form', async () => {
    const response = await fetch(`${gateways[0]}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bearerForm(jwtFor(rule))),
    });
    const error_description = expect.stringContaining('application/x-www-form-urlencoded');
    expect([response.status, await response.json()]).toEqual([
      415,
      { error: 'invalid_request', error_description, request_id: expect.any(String) },
    ]);
    expect((await fetch(`${gateways[0]}/oauth/token`)).status).toBe(405);
  });

  test('says the same of every JWT that it does not accept', async () => {
    const answers = await Promise.all([
      ask(bearerForm(jwtFor(rule, { branch: 'other' }))),
      ask(bearerForm(jwtFor(rule, { iss: 'https://evil.example' }))),
      ask(bearerForm(jwtFor({ ...rule, audience: rule.audience.replace(/.$/, '') }))),
      ask(bearerForm('a.b.c')),
    ]);
    const said = answers.map(({ status, body: { request_id: _, ...body } }) => JSON.stringify([status, body]));
    expect(new Set(said).size).toBe(1);
  });

  test('gives fewer permissions if asked to, for its own addresses', async () => {
    const wide = await newRule({ permissions: ['work-items:read', 'work-items:write'] });
    const form = { ...exchangeForm(jwtFor(wide)), scope: 'work-items:write openid', resource: `${gateways[0]}/mcp` };
    expect((await ask(form)).body).toMatchObject({ scope: 'work-items:write' });
  });

  test('is 503 where the keys of the issuer are not to be had', async () => {
    const away = await TestIssuer.start();
    const { audience } = await newRule({ issuer: away.url });
    const jwt = away.jwt({ ...CLAIMS, aud: audience });
    await away.stop();
    const { status, headers, body } = await ask(bearerForm(jwt));
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('one JWT gives one token, over 200 connections and two gateways', async () => {
  const jwt = jwtFor(rule);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => ask(i % 3 ? bearerForm(jwt) : exchangeForm(jwt), gateways[i % 2])),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 199 }, () => 400)]);
});

test('an issuer that takes its time to answer keeps nobody else waiting', async () => {
  const slow = await TestIssuer.start();
  const answers = Promise.withResolvers<void>();
  slow.held = answers.promise;
  try {
    const waiting = await newRule({ issuer: slow.url });
    const pending: Promise<number>[] = [];
    // Each in a message of its own: more than both replicas of the service work on at once.
    for (let i = 0; i < 40; i++) {
      const jwt = slow.jwt({ ...CLAIMS, aud: waiting.audience });
      pending.push(ask(bearerForm(jwt), gateways[i % 2]).then(({ status }) => status));
      await (await fetch(`${gateways[i % 2]}/health/live`)).body?.cancel();
    }
    const made = organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'CI' });
    const others = Promise.all([
      tokenOf(rule),
      made.then(({ data }) => caller(system.baseUrl, data.key)('GET', '/api/me')),
    ]);
    const first = await Promise.race([Promise.any(pending).then(() => 'who waits'), others.then(() => 'the others')]);
    expect(first).toBe('the others');
    answers.resolve();
    expect(new Set(await Promise.all(pending))).toEqual(new Set([200]));
  } finally {
    answers.resolve();
    await slow.stop();
  }
});

test('a token that has just been accepted is refused by both gateways once its rule was changed, stopped or deleted', async () => {
  for (const end of [
    (id: string) => organization.call('PATCH', `/api/trust-rules/${id}`, { claims: { ...CLAIMS, branch: 'other' } }),
    (id: string) => organization.call('PATCH', `/api/trust-rules/${id}`, { disabled: true }),
    (id: string) => organization.call('DELETE', `/api/trust-rules/${id}`),
  ]) {
    const own = await newRule();
    const token = await tokenOf(own);
    const statuses = () =>
      Promise.all(gateways.map(async (url) => (await caller(url, token)('GET', '/api/me')).status));
    expect(await statuses()).toEqual([200, 200]);
    expect((await end(own.id)).status).toBe(200);
    expect(await statuses()).toEqual([401, 401]);
  }
});

test('the tokens of a rule share its rate', async () => {
  const own = await newRule({ rateLimit: { requests: 3, windowSeconds: 60 } });
  const statuses = [];
  for (let i = 0; i < 4; i++) {
    statuses.push((await caller(gateways[i % 2] ?? '', await tokenOf(own))('GET', '/api/me')).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('a token is neither a key nor a session, whatever it is sent as', async () => {
  const token = await tokenOf(rule);
  for (const mark of ['wt_', 'wts_', 'wtc_']) {
    expect((await caller(system.baseUrl, token.replace(TRUST_TOKEN_MARK, mark))('GET', '/api/me')).status).toBe(401);
  }
  const cookie = `worktrack-session-${new URL(system.baseUrl).port}=${token}`;
  const response = await fetch(`${system.baseUrl}/api/me`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  expect(response.status).toBe(401);
});
