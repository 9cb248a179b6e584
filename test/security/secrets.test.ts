import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { REPOSITORY, SERVICES } from '@worktrack/stack/layout';
import { Child } from '@worktrack/stack/processes/child';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPage, rawRequest, signIn } from '../support/browser-request.ts';
import { caller, type TestOrganization } from '../support/organization.ts';
import { servers } from '../support/servers.ts';
import { startSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';
import { leaks, wholeOutput } from './output.ts';

const secret = () => randomBytes(24).toString('base64url');
const CONFIGURED = {
  KEY_PEPPER: secret(),
  IP_HASH_SECRET: secret(),
  CAPTCHA_SECRET_KEY: secret(),
  PROMPT_API_KEY: secret(),
};
const WIDGET_SECRET = secret();
/** What a client sends as a captcha's solution, and what it makes up itself. */
const CAPTCHA_TOKEN = secret();
const REQUEST_SECRETS = [
  'RPC_SECRETS_KEYS',
  'RPC_SECRETS_WORKITEMS',
  'RPC_SECRETS_FEEDBACK',
  'RPC_SECRETS_EVENTS',
  'EVENT_SECRETS',
  'WEBHOOK_SECRETS',
  'AUDIT_SIGNING_KEYS',
] as const;
const STOP_GRACE_MS = 10_000;

describe('no secret is in any log, metric or answer, though everything is logged', () => {
  /** A captcha verifier and a model endpoint in one, which echoes what it was sent in its error, as some do. */
  let echo: Server;
  let system: Awaited<ReturnType<typeof startSystem>>;
  let organization: TestOrganization;
  const secrets = new Map<string, string>([...Object.entries(CONFIGURED), ['WIDGET_TOKEN_SECRETS', WIDGET_SECRET]]);
  const answers = new Map<string, string>();

  beforeAll(async () => {
    echo = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(401, { 'content-type': 'application/json' });
        const message = `Refused: ${JSON.stringify(request.headers)} ${Buffer.concat(chunks)}`;
        response.end(JSON.stringify({ error: { message } }));
      });
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
    system = await startSystem({
      replicas: { gateway: 2 },
      env: {
        ...CONFIGURED,
        WIDGET_TOKEN_SECRETS: `1:${WIDGET_SECRET}`,
        LOG_LEVEL: 'trace',
        CAPTCHA_PROVIDER: 'turnstile',
        CAPTCHA_SITE_KEY: 'site',
        CAPTCHA_VERIFY_URL: url,
        PROMPT_PROVIDER: 'openai',
        PROMPT_MODEL: 'any',
        PROMPT_BASE_URL: url,
      },
      envOf: (id) => ({
        ...(id.startsWith('keys') ? { KEY_PEPPER: CONFIGURED.KEY_PEPPER } : {}),
        ...(id.startsWith('keys') || id.startsWith('workitems') ? {} : { WIDGET_TOKEN_SECRETS: `1:${WIDGET_SECRET}` }),
        ...(id.startsWith('gateway') ? { IP_HASH_SECRET: CONFIGURED.IP_HASH_SECRET } : {}),
      }),
    });
    organization = await system.newOrganization();
    for (const name of REQUEST_SECRETS) secrets.set(name, system.secrets[name].replace('1:', ''));
    secrets.set('VAPID_KEYS', system.secrets.VAPID_KEYS.split(':')[1] ?? '');
    // What follows the prefix, which is shown.
    secrets.set('the first API key', organization.apiKey.slice(11));
  });
  afterAll(async () => {
    await system?.stop();
    echo?.closeAllConnections();
    echo?.close();
  });

  async function say(what: string, answer: Promise<unknown>): Promise<void> {
    answers.set(what, JSON.stringify(await answer));
  }

  test('of keys, sources, captchas, models, leases, uploads and webhooks, used rightly and wrongly', async () => {
    const { call, boardId, columns, apiKey } = organization;
    const { data: made } = await call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'Second' });
    secrets.set('a new API key', made.key.slice(11));
    const asSecond = caller(system.gateways[1] as string, made.key);
    await say('me', asSecond('GET', '/api/me'));
    await say('keys', asSecond('GET', '/api/api-keys'));
    // In places where it does not belong.
    await say('key in a query', asSecond('GET', `/api/work-items?search=x&apiKey=${made.key}`));
    await say('key in a tool', callTool(system.baseUrl, made.key, 'list_work_items', { wrong: 1 }));
    await say('no such operation', asSecond('POST', '/api/api-keys', { name: 'x', permissions: ['nothing'] }));
    await say('revoked', call('DELETE', `/api/api-keys/${made.id}`));
    await say('after it', asSecond('GET', '/api/me'));

    const { data: login } = await call<{ code: string }>('POST', '/api/login-codes', {});
    const { code } = login;
    secrets.set('a login code', code.slice(12));
    const cookie = await signIn(system.baseUrl, { code });
    secrets.set('a session', cookie.split('wts_')[1]?.slice(8) ?? '');
    const inBrowser = { ...ownPage(system.baseUrl), cookie, 'content-type': 'application/json' };
    const again = JSON.stringify({ code });
    await say('a used code', rawRequest(`${system.baseUrl}/console/session`, 'POST', inBrowser, again));
    const { data: user } = await call<{ id: string }>('POST', '/api/users', {
      ...{ email: `${randomUUID()}@example.com`, name: 'Grace', role: 'member' },
    });
    // The mail server of the tests takes no connections.
    const { data: invitation } = await call<{ code: string }>('POST', `/api/users/${user.id}/invitation`);
    secrets.set('an invitation', invitation.code.slice(12));
    await say('users', call('GET', '/api/users'));
    await say('for you', call('GET', '/api/for-you'));
    await say('withdrawn', call('DELETE', `/api/users/${user.id}/invitation`));
    const withdrawn = JSON.stringify({ code: invitation.code });
    await say('a withdrawn one', rawRequest(`${system.baseUrl}/console/session`, 'POST', inBrowser, withdrawn));
    await say('me in a session', rawRequest(`${system.baseUrl}/api/me`, 'GET', inBrowser));
    await say('sessions', call('GET', '/api/sessions'));
    const foreign = { ...inBrowser, 'sec-fetch-site': 'same-site' };
    await say('a foreign page', rawRequest(`${system.baseUrl}/api/me`, 'GET', foreign));

    const { data: source } = await call<{ publicKey: string }>('POST', '/api/feedback/sources', {
      name: 'Captcha',
      type: 'widget',
      requireCaptcha: true,
    });
    const { publicKey } = source;
    const bootstrap = await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`);
    const { token } = bootstrap.data;
    secrets.set('a widget token', token.split('.')[1] as string);
    secrets.set('a captcha solution', CAPTCHA_TOKEN);
    const submit = (fields: object) =>
      call('POST', '/feedback/ingest', { publicKey, message: randomUUID(), ...fields });
    await say('captcha refused', submit({ token, captchaToken: CAPTCHA_TOKEN }));
    await say('captcha missing', submit({ token }));
    await say('wrong token', submit({ token: `${token}x`, captchaToken: CAPTCHA_TOKEN }));

    const { data: item } = await call<{ id: string }>('POST', '/api/work-items', {
      title: 'Prompted',
      type: 'task',
      boardId,
      boardColumnId: columns['To Do'],
    });
    await say('the model refused', call('POST', `/api/work-items/${item.id}/prompt`, {}));
    const claim = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
      ids: [item.id],
      agent: 'secret-keeper',
    });
    const leaseToken = claim.data.lease.token;
    secrets.set('a lease', leaseToken);
    await say('a wrong release', call('POST', `/api/work-items/${item.id}/release`, { leaseToken: `${leaseToken}x` }));
    await say('a release', call('POST', `/api/work-items/${item.id}/release`, { leaseToken }));

    const { port } = echo.address() as AddressInfo;
    const { data: webhook } = await call<{ id: string; secret: string }>('POST', '/api/webhooks', {
      url: `http://127.0.0.1:${port}/hook`,
    });
    secrets.set('the secret of a webhook', webhook.secret.replace('whsec_', ''));
    const { data: rotated } = await call<{ secret: string }>('POST', `/api/webhooks/${webhook.id}/rotate`, {});
    secrets.set('a rotated secret of a webhook', rotated.secret.replace('whsec_', ''));
    await say('a test of a webhook', call('POST', `/api/webhooks/${webhook.id}/test`, {}));
    await say('deliveries', call('GET', `/api/webhooks/${webhook.id}/deliveries`));
    await say('webhooks', call('GET', '/api/webhooks'));

    const p256dh = createECDH('prime256v1').generateKeys('base64url');
    const keys = { p256dh, auth: randomBytes(16).toString('base64url') };
    const endpoint = `http://127.0.0.1:${port}/push/${randomUUID()}`;
    secrets.set('what a browser gave for push', keys.auth);
    secrets.set('where a browser is pushed to', endpoint);
    await say('a browser', call('POST', '/api/me/push', { endpoint, keys }));
    await say('browsers', call('GET', '/api/me/push'));

    const upload = await callTool(system.baseUrl, apiKey, 'upload_work_item_attachment', {
      workItemId: item.id,
      filePath: '/tmp/none',
      uploadedBy: 'secret-keeper',
    });
    const ticket = /ticket=([\w.%-]+)/.exec(upload.error?.message ?? '')?.[1];
    if (!ticket) throw new Error(`No ticket in ${upload.text}`);
    secrets.set('an upload ticket', ticket.split('.')[1] as string);
    await say('a spoilt ticket', call('POST', `/api/work-items/${item.id}/attachments?ticket=${ticket}x`, {}));

    const captchaAnswer = JSON.parse(answers.get('captcha refused') ?? '{}') as { status: number };
    const modelAnswer = JSON.parse(answers.get('the model refused') ?? '{}') as { status: number };
    expect([captchaAnswer.status, modelAnswer.status >= 400]).toEqual([503, true]);
    expect(answers.get('a test of a webhook')).toContain('Refused');
    expect(leaks(answers, secrets)).toEqual([]);
    expect(leaks(await wholeOutput(system), secrets)).toEqual([]);
  });

  test('the search finds what is there', async () => {
    const output = await wholeOutput(system);
    const keyId = /"keyId":"([\w-]+)"/.exec(output.get('gateway.log') ?? '')?.[1] ?? '';
    expect(leaks(output, new Map([['a key id', keyId]]))).toContain('gateway.log: a key id');
    expect([...output.keys()]).toEqual(
      expect.arrayContaining(['workitems.log', 'feedback/metrics', 'keys/health/ready']),
    );
  });
});

describe('the passwords of servers that cannot be reached', () => {
  const passwords = new Map(['RABBITMQ_URL', 'REDIS_URL', 'MONGODB_URL'].map((name) => [name, secret()]));
  const REQUEST_SECRET = secret();
  /** Nothing listens on it: discard (RFC 863). */
  const away = (scheme: string, name: string) => `${scheme}://user:${passwords.get(name)}@127.0.0.1:9`;

  test.each(SERVICES)('are not revealed by %s, which waits for them and says for which', async (service) => {
    const { folder } = await servers();
    const logFile = join(folder, `${service}.log`);
    const child = await Child.start({
      name: service,
      command: process.execPath,
      args: [join(REPOSITORY, 'services', service, 'main.ts')],
      cwd: REPOSITORY,
      env: {
        ...process.env,
        LOG_LEVEL: 'trace',
        OPS_PORT: '0',
        OPS_HOST: '127.0.0.1',
        PORT: '0',
        KEY_PEPPER: CONFIGURED.KEY_PEPPER,
        IP_HASH_SECRET: CONFIGURED.IP_HASH_SECRET,
        WIDGET_TOKEN_SECRETS: `1:${WIDGET_SECRET}`,
        ...Object.fromEntries(REQUEST_SECRETS.map((name) => [name, `1:${REQUEST_SECRET}`])),
        RABBITMQ_URL: away('amqp', 'RABBITMQ_URL'),
        REDIS_URL: away('redis', 'REDIS_URL'),
        MONGODB_URL: away('mongodb', 'MONGODB_URL'),
      },
      logFile,
    });
    try {
      const log = () => readFileSync(logFile, 'utf8');
      await expect.poll(log).toMatch(/"level":"warn"/);
      const opsPort = /"opsPort":(\d+)/.exec(log())?.[1];
      const ready = await (await fetch(`http://127.0.0.1:${opsPort}/health/ready`)).text();
      await child.stop(STOP_GRACE_MS);
      expect(JSON.parse(ready).needs).toHaveProperty(
        service === 'gateway' ? 'rabbitmq' : 'mongodb',
        expect.stringMatching(/connect/i),
      );
      const output = new Map([
        ['log', log()],
        ['readiness', ready],
      ]);
      expect(
        leaks(
          output,
          new Map([
            ...passwords,
            ...Object.entries(CONFIGURED),
            ['widget', WIDGET_SECRET],
            ['requests', REQUEST_SECRET],
          ]),
        ),
      ).toEqual([]);
    } finally {
      await child.kill();
    }
  });
});
