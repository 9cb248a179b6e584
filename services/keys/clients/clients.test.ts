import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import { createLog } from '@worktrack/runtime/process/logging';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppServer } from '../../../test/support/app.ts';
import { startKeys } from '../testing.ts';
import { Clients } from './clients.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
let apps: AppServer;
beforeAll(async () => {
  keys = await startKeys();
  apps = await AppServer.start();
});
afterAll(async () => {
  await apps?.stop();
  await keys.stop();
});

/** Of a replica that has just started. */
const clients = (networks: readonly string[] = ['127.0.0.1']) => {
  const store = new Clients({
    destinations: new Destinations(new AllowedNetworks(networks), 'OAUTH_CLIENT_ALLOWED_NETWORKS'),
    log: createLog('test', 'silent'),
  });
  return { find: (clientId: string, network = 'a network') => store.find(clientId, network) };
};
const fetchesOf = (clientId: string) => apps.fetches.get(new URL(clientId).pathname) ?? 0;

test('a client is what the document at its address says', async () => {
  const uri = 'https://app.example/';
  const id = apps.publish({
    client_uri: uri,
    client_name: ` An\u202e app\nof\u0007 ours\ud800 ” «e\u0301${'\u0323'.repeat(70)} 「”`,
    logo_uri: 'https://x',
  });
  expect(await clients().find(id)).toEqual({
    ...{ id, name: `An app of ours e\u0301${'\u0323'.repeat(3)}`, uri, domain: new URL(id).host },
    redirectUris: ['http://127.0.0.1/callback', 'https://app.example/callback'],
  });
});

test('one that prefers a key of its own, and can do without, is taken; and so is one that says little', async () => {
  const chatGpt = {
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  };
  const brief = { grant_types: undefined, response_types: undefined, token_endpoint_auth_method: undefined };
  for (const more of [chatGpt, brief])
    expect(await clients().find(apps.publish(more))).toMatchObject({ name: 'Test app' });
});

describe('what is no document of the client', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another client', { client_id: 'https://evil.example/client.json' }],
    ['of no client', { client_id: undefined }],
    ['with a secret', { client_secret: 'hunter2' }],
    ['of one that needs a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['of one that needs a key', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['without a name', { client_name: undefined }],
    ['with a name of nothing', { client_name: '\u200b \n' }],
    ['with a name that is no text', { client_name: 7 }],
    ['without a redirect', { redirect_uris: undefined }],
    ['with no redirect that would do', { redirect_uris: ['http://app.example/', 'javascript:alert(1)', 7] }],
    [
      'with redirects of more than 4 kB',
      { redirect_uris: ['a', 'b', 'c'].map((name) => `https://${name}.example/${'x'.repeat(1_500)}`) },
    ],
    ['for another grant', { grant_types: ['client_credentials'] }],
    ['for another response', { response_types: ['token'] }],
  ])('%s', async (_, more) => {
    expect(await clients().find(apps.publish(more))).toMatchObject({ problem: 'document-invalid' });
  });

  test.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['404', (response) => response.writeHead(404).end('{}')],
    ['no JSON', (response) => response.end('<html>')],
    ['more than 64 KiB', (response) => response.end(JSON.stringify({ padding: 'x'.repeat(65_536) }))],
    ['nothing', (response) => response.destroy()],
  ])('is fetched: %s', async (_, answer) => {
    const path = `/${Math.random()}/client.json`;
    apps.answers.set(path, (_request, response) => answer(response));
    expect(await clients().find(`${apps.url}${path}`)).toMatchObject({ problem: 'document-unreachable' });
    expect(apps.fetches.get('/elsewhere')).toBeUndefined();
  });

  test('is in a network that nobody has named', async () => {
    const id = apps.publish();
    expect(await clients([]).find(id)).toMatchObject({ problem: 'document-unreachable' });
    expect(fetchesOf(id)).toBe(0);
  });

  test.each([
    ...[
      '',
      'a name',
      'ftp://app.example/client.json',
      'https://app.example',
      'https://app.example/',
      'javascript:alert(1)',
    ],
    ...['https://app.example/client.json#a', 'https://app.example/a/../client.json', 'https://APP.example/client.json'],
    ...[
      'https://app.example:443/client.json',
      'https://user@app.example/client.json',
      '018f2d5e-7c3a-7000-8000-000000000000',
    ],
  ])('is not even asked for: %j', async (clientId) => {
    expect(await clients().find(clientId)).toMatchObject({ problem: 'unknown-client' });
  });
});

describe('a document is kept for as long as its headers say', () => {
  test.each<[string, Record<string, string>, number]>([
    ['an hour', { 'cache-control': 'max-age=3600' }, 1],
    ['a year', { 'cache-control': 'public, max-age=31536000' }, 1],
    ['until a date', { date: new Date().toUTCString(), expires: new Date(Date.now() + 3_600_000).toUTCString() }, 1],
    ['not at all', { 'cache-control': 'no-store' }, 3],
    ['nothing said', {}, 3],
    ['over', { 'cache-control': 'max-age=60', age: '61' }, 3],
  ])('%s', async (_, headers, fetches) => {
    const id = apps.publish({}, headers);
    // By replicas of which none remembers anything.
    for (let i = 0; i < 3; i++) expect(await clients().find(id)).toMatchObject({ name: 'Test app' });
    expect(fetchesOf(id)).toBe(fetches);
  });

  test('and beyond it while its server is away', async () => {
    const id = apps.publish();
    await clients().find(id);
    apps.answers.set(new URL(id).pathname, (_request, response) => response.writeHead(503).end());
    expect(await clients().find(id)).toMatchObject({ name: 'Test app' });
    // But what it says at last, counts.
    apps.answers.set(new URL(id).pathname, (_request, response) => response.end('{}'));
    expect(await clients().find(id)).toMatchObject({ problem: 'document-invalid' });
  });
});

test('whoever has documents fetched that never come keeps no app out that is known, and none at all from one address', async () => {
  const [store, known] = [clients(), apps.publish()];
  expect(await store.find(known)).toMatchObject({ name: 'Test app' });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let count = 0;
  const silent = (network: string) =>
    Array.from({ length: 6 }, () => {
      const path = `/silent/${count++}/client.json`;
      apps.answers.set(path, (_request, response) => void isOver.then(() => response.destroy()));
      return store.find(`${apps.url}${path}`, network);
    });
  const fetched = () => [...apps.fetches.keys()].filter((path) => path.startsWith('/silent/')).length;
  const asked = silent('one');
  try {
    await expect.poll(fetched).toBe(5);
    expect(await store.find(apps.publish(), 'one')).toMatchObject({ problem: 'document-unreachable' });
    expect(await store.find(apps.publish(), 'two')).toMatchObject({ name: 'Test app' });
    asked.push(...['two', 'three', 'four'].flatMap(silent));
    await expect.poll(fetched).toBe(20);
    expect(await store.find(apps.publish(), 'five')).toMatchObject({ problem: 'document-unreachable' });
    expect(await store.find(known, 'five')).toMatchObject({ name: 'Test app' });
  } finally {
    end();
    await Promise.all(asked);
  }
});

test('no more wait for the same document, either, and from one address none that leaves others no place', async () => {
  const [store, known] = [clients(), apps.publish()];
  expect(await store.find(known)).toMatchObject({ name: 'Test app' });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  apps.answers.set('/silent.json', (_request, response) => void isOver.then(() => response.destroy()));
  let waiting = 0;
  const ask = async (network: string) => {
    waiting++;
    return await store.find(`${apps.url}/silent.json`, network).finally(() => waiting--);
  };
  const asked = Array.from({ length: 50 }, () => ask('one'));
  try {
    await expect.poll(() => waiting).toBe(5);
    expect(await store.find(known, 'one')).toMatchObject({ name: 'Test app' });
    expect(await store.find('registered nowhere', 'one')).toMatchObject({ problem: 'unknown-client' });
    asked.push(
      ...['two', 'three', 'four', 'five'].flatMap((network) => Array.from({ length: 50 }, () => ask(network))),
    );
    await expect.poll(() => waiting).toBe(20);
  } finally {
    end();
    await Promise.all(asked);
  }
});

test('however many browsers come at once, a document is asked for once, and one that fails not again within a minute', async () => {
  const [store, good] = [clients(), apps.publish({}, { 'cache-control': 'max-age=60' })];
  await Promise.all(Array.from({ length: 50 }, () => store.find(good)));
  expect(fetchesOf(good)).toBe(1);
  const bad = apps.publish({ client_id: 'x' });
  for (let i = 0; i < 50; i++) await store.find(bad);
  expect(fetchesOf(bad)).toBe(1);
});
