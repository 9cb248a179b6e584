import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import { createLog } from '@worktrack/runtime/process/logging';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newIssuerKey, TestIssuer } from '../../../test/support/issuer.ts';
import { startKeys } from '../testing.ts';
import { IssuerKeys } from './issuer-keys.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let keys: Awaited<ReturnType<typeof startKeys>>;
let issuer: TestIssuer;
let nowMs: number;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());
beforeEach(async () => {
  issuer = await TestIssuer.start();
  nowMs = Date.now();
});
afterEach(() => issuer.stop());

/** A replica of the service. */
const replica = (networks: readonly string[] = ['127.0.0.1']) =>
  new IssuerKeys({
    destinations: new Destinations(new AllowedNetworks(networks), 'OIDC_ALLOWED_NETWORKS'),
    log: createLog('test', 'silent'),
    now: () => nowMs,
  });
const found = async (store: IssuerKeys, kid: string) => (await store.withId(issuer.url, kid))?.length;
const kid = () => issuer.key('RS256').kid;

test('the keys are asked for once, by however many replicas and calls', async () => {
  const replicas = [replica(), replica(), replica()];
  const calls = Array.from({ length: 60 }, (_, i) => found(replicas[i % 3] as IssuerKeys, kid()));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([1]));
  expect(issuer.fetches).toBe(1);
});

test('a key that is withdrawn is dead within ten minutes, and they are asked for again each ten minutes', async () => {
  const [one, other] = [replica(), replica()];
  expect(await found(one, kid())).toBe(1);
  expect(await found(other, kid())).toBe(1);
  const withdrawn = kid();
  issuer.keys = issuer.keys.filter(({ alg }) => alg !== 'RS256');
  nowMs += 10 * MINUTE_MS;
  expect(await Promise.all([found(one, withdrawn), found(other, withdrawn)])).toEqual([0, 0]);
  expect(issuer.fetches).toBe(2);
});

test('a replica whose clock was a day ahead leaves no withdrawn key alive, and keeps nobody from finding a new one', async () => {
  const right = nowMs;
  nowMs += 24 * HOUR_MS - MINUTE_MS;
  expect(await found(replica(), kid())).toBe(1);
  const withdrawn = kid();
  const added = newIssuerKey('RS256');
  issuer.keys = [added];
  nowMs = right;
  const store = replica();
  expect([await found(store, withdrawn), await found(store, added.kid)]).toEqual([0, 1]);
  expect(issuer.fetches).toBe(2);
});

test('made-up key ids ask the issuer at most once a minute, over all replicas, also if it fails', async () => {
  const replicas = [replica(), replica()];
  await found(replicas[0] as IssuerKeys, kid());
  for (let minute = 0; minute < 5; minute++) {
    // The last two of these fail.
    if (minute === 3) issuer.keySet = { status: 500 };
    nowMs += MINUTE_MS;
    const calls = Array.from({ length: 500 }, (_, i) => found(replicas[i % 2] as IssuerKeys, `made-up-${minute}-${i}`));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([0]));
  }
  expect(issuer.fetches).toBeLessThanOrEqual(6);
  expect(issuer.fetches).toBeGreaterThanOrEqual(5);
});

test('a key that the issuer has just added is found within a minute', async () => {
  const store = replica();
  await found(store, kid());
  const added = newIssuerKey('ES256');
  issuer.keys = [...issuer.keys, added];
  nowMs += MINUTE_MS;
  expect(await found(store, added.kid)).toBe(1);
});

test('while the issuer is away, its keys are used for 24 hours, also by a replica that has just started', async () => {
  const store = replica();
  expect(await found(store, kid())).toBe(1);
  issuer.discovery = { status: 503 };
  for (let hour = 1; hour < 24; hour++) {
    nowMs += HOUR_MS;
    expect(await Promise.all([found(store, kid()), found(replica(), kid())])).toEqual([1, 1]);
  }
  nowMs += HOUR_MS;
  expect(await store.withId(issuer.url, kid())).toBeUndefined();
  issuer.discovery = undefined;
  nowMs += MINUTE_MS;
  expect(await found(store, kid())).toBe(1);
});

describe('keys are not to be had', () => {
  test.each<[string, () => void]>([
    [
      'if the document names another issuer',
      () => (issuer.discovery = { body: { issuer: 'https://evil.example', jwks_uri: `${issuer.url}/keys` } }),
    ],
    [
      'if the document names it with a slash',
      () => (issuer.discovery = { body: { issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}/keys` } }),
    ],
    ['if the document has no key set', () => (issuer.discovery = { body: { issuer: issuer.url } })],
    [
      'if the key set is in a private network',
      () => (issuer.discovery = { body: { issuer: issuer.url, jwks_uri: 'http://10.0.0.1/keys' } }),
    ],
    [
      'if the key set is a file',
      () => (issuer.discovery = { body: { issuer: issuer.url, jwks_uri: 'file:///etc/passwd' } }),
    ],
    ['if the document is elsewhere', () => (issuer.discovery = { status: 302, location: `${issuer.url}/keys` })],
    ['if the key set is elsewhere', () => (issuer.keySet = { status: 301, location: `${issuer.url}/other` })],
    ['if the key set is too long', () => (issuer.keySet = { body: { keys: [], padding: 'x'.repeat(256 * 1_024) } })],
    ['if the key set has no keys', () => (issuer.keySet = { body: { keys: 'none' } })],
  ])('%s', async (_, arrange) => {
    arrange();
    expect(await replica().withId(issuer.url, kid())).toBeUndefined();
  });

  test('if the issuer is in a network that nobody allowed', async () => {
    expect(await replica([]).withId(issuer.url, kid())).toBeUndefined();
    expect(issuer.fetches).toBe(0);
  });
});

test('keys that are too weak or too slow, for encryption, or of other kinds are left out, however many they are', async () => {
  const { jwk } = issuer.key('RS256');
  issuer.keySet = {
    body: {
      keys: [
        { ...jwk, kid: 'weak', n: (jwk.n as string).slice(0, 170) },
        { ...jwk, kid: 'slow', e: jwk.n },
        { ...jwk, kid: 'enc', use: 'enc' },
        ...Array.from({ length: 150 }, () => ({ kty: 'oct', kid: 'secret', k: 'c2VjcmV0' })),
        { ...jwk, kid: undefined },
        { ...jwk, kid: 'good' },
        null,
      ],
    },
  };
  const store = replica();
  expect(await Promise.all(['weak', 'slow', 'enc', 'secret', 'good'].map((each) => found(store, each)))).toEqual([
    0, 0, 0, 0, 1,
  ]);
});
