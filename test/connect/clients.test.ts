import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { findPip } from '@worktrack/stack/servers/pip';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENT_KINDS, refusalOf } from '../mcp/connect.ts';
import {
  AppServer,
  approve,
  askToken,
  asPerson,
  authorizeParameters,
  connectApp,
  newVerifier,
  openAuthorize,
  openPage,
  sendMessage,
} from '../support/app.ts';
import { signIn } from '../support/browser-request.ts';
import { newCertificate } from '../support/certificate.ts';
import type { TestOrganization } from '../support/organization.ts';
import { pythonPackages } from '../support/python-packages.ts';
import { startSystem } from '../support/system.ts';
import { connectByOAuth } from './official-client.ts';

/** https://pypi.org/project/mcp/ */
const PYTHON_SDK = 'mcp==2.3.0';
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const REDIRECT = 'http://127.0.0.1:4711/callback';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-connect-'));
let system: Awaited<ReturnType<typeof startSystem>>;
let gateways: readonly string[];
let base: string;
let organization: TestOrganization;
let cookie: string;
/** Over TLS: the SDKs take no other address of a document. */
let apps: AppServer;
beforeAll(async () => {
  const certificate = newCertificate(folder);
  apps = await AppServer.start(certificate);
  system = await startSystem({
    replicas: { gateway: 2, keys: 2 },
    env: { OAUTH_DYNAMIC_REGISTRATION: 'true', OAUTH_REGISTRATIONS_PER_IP: '1000' },
    envOf: (id): Record<string, string> => (id.startsWith('keys') ? { NODE_EXTRA_CA_CERTS: certificate.path } : {}),
  });
  gateways = system.gateways;
  base = system.baseUrl;
  organization = await system.newOrganization();
  cookie = await signIn(base, { apiKey: organization.apiKey });
});
afterAll(async () => {
  await system?.stop();
  await apps?.stop();
  rmSync(folder, { recursive: true });
});

/** A person with a browser, who allows what is to be read. */
async function decide(authorize: URL, permissions?: readonly string[]): Promise<URL> {
  const id = await openAuthorize(base, authorize.searchParams);
  return approve(base, cookie, id, permissions && { permissions });
}

const MEANS = ['its document', 'registration'] as const;
const documentFor = (means: (typeof MEANS)[number]) => (means === 'its document' ? apps.publish() : undefined);

describe.each(CLIENT_KINDS)('%s connects with no setting but the address', (kind) => {
  test.each(MEANS)('by %s, and has the tools that it was allowed', async (means) => {
    const documentUrl = documentFor(means);
    const client = await connectByOAuth(kind, `${base}/connect`, documentUrl, decide);
    expect(client.clientId).toEqual(documentUrl ?? expect.stringMatching(/^[0-9a-f-]{36}$/));
    const tools = await client.tools();
    expect([tools.includes('list_work_items'), tools.includes('create_task')]).toEqual([true, false]);
    expect((await client.call('list_work_items', {})).structuredContent).toMatchObject({ workItems: [] });
    await client.close();
  });

  test('at the address that only reads, whatever the person would give', async () => {
    const client = await connectByOAuth(kind, `${base}/connect/readonly`, documentFor('its document'), decide);
    expect(client.opened?.searchParams.get('scope')).not.toContain(':write');
    const { code } = refusalOf(await client.call('create_task', { title: 'No' }));
    expect(code).toBe('PERMISSION_DENIED');
    await client.close();
  });
});

test.each(CLIENT_KINDS.filter((kind) => kind !== 'sdk 1.x'))(
  '%s asks again for what it lacks, and then has it',
  async (kind) => {
    const address = `${base}/connect?projectId=${organization.projectId}`;
    const client = await connectByOAuth(kind, address, documentFor('its document'), decide);
    const create = () => client.call('create_task', { title: 'Later' });
    await expect(create()).rejects.toThrow();
    const again = client.opened as URL;
    expect(again.searchParams.get('scope')?.split(' ')).toContain('work-items:write');
    const { data } = await openPage(base, cookie, await openAuthorize(base, again.searchParams));
    expect(data.request).toMatchObject({ given: expect.arrayContaining(['work-items:read']) });
    await client.finish(await decide(again, ['work-items:read', 'work-items:write']));
    expect((await create()).structuredContent).toMatchObject({ title: 'Later' });
    await client.close();
  },
);

test.for(MEANS)(
  'the client of the Python SDK connects with no setting but the address, by %s',
  { timeout: 180_000 },
  async (means, context) => {
    const python = await findPip();
    if (!python) return context.skip('There is no Python with pip.');
    const packages = await pythonPackages(python, [PYTHON_SDK]).catch((error: Error) => error);
    if (packages instanceof Error) return context.skip(packages.message);
    const documentUrl = documentFor(means);
    const program = join(import.meta.dirname, 'python/connect.py');
    const child = spawn(python, [program, `${base}/connect`, ...(documentUrl ? [documentUrl] : [])], {
      env: { ...process.env, PYTHONPATH: packages.folder, NO_PROXY: '127.0.0.1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const authorize = await lines.next();
    if (authorize.done) throw new Error(errors);
    child.stdin.write(`${await decide(new URL(authorize.value))}\n`);
    const result = await lines.next();
    if (result.done) throw new Error(errors);
    const { tools, isError, clientId } = JSON.parse(result.value);
    expect([tools.includes('list_work_items'), tools.includes('create_task'), isError]).toEqual([true, false, false]);
    expect(clientId).toEqual(documentUrl ?? expect.stringMatching(/^[0-9a-f-]{36}$/));
  },
);

test('the scenarios of the conformance suite for authorization servers pass', async () => {
  const port = await freePort();
  const clientId = apps.publish();
  const options = ['--url', `${base}/connect`, '--client-id', clientId, '--resource', `${base}/connect`];
  const child = spawn(process.execPath, [SUITE, 'authorization', ...options, '--port', `${port}`, '-o', folder], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    if (line.startsWith(`${base}/connect/authorize?`)) await fetch(await decide(new URL(line)));
  }
  expect(await ended, output).toBe(0);
  for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant']) {
    expect(output).toMatch(new RegExp(`${scenario}: [1-9]\\d* passed, 0 failed`));
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * How each client connects: its callback address, what it alone sends, and what it leaves out. Taken from what their makers and users wrote, as read in
 * November 2026, and not recorded from the apps themselves.
 */
interface Profile {
  /** Undefined: it has a document. */
  readonly registers?: Readonly<Record<string, unknown>>;
  /** All that it names; the first is sent, if nothing else is. */
  readonly redirects: readonly [string, ...string[]];
  readonly sent?: string;
  readonly adds?: Readonly<Record<string, string | undefined>>;
  readonly leavesOutAtToken?: readonly string[];
}
/** https://support.claude.com/en/articles/11503834: to be allowed both, as the first may become the second. */
const OF_CLAUDE = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'] as const;
/** https://github.com/microsoft/vscode/issues/278512: names these, and listens on any port if that one is taken. */
const OF_VS_CODE = [
  ...(['https://insiders.vscode.dev/redirect', 'https://vscode.dev/redirect'] as const),
  ...['http://127.0.0.1/', 'http://127.0.0.1:33418/'],
] as const;
/** Cursor's own documentation of its addresses, https://cursor.com/docs/mcp; the scheme is what its earlier versions use. */
const CURSOR = {
  registers: { application_type: 'native', token_endpoint_auth_method: 'none' },
  adds: { resource: undefined, scope: undefined },
  leavesOutAtToken: ['resource'],
} as const;
/** https://github.com/modelcontextprotocol/inspector/issues/930 */
const INSPECTOR = { client_uri: 'https://github.com/modelcontextprotocol/inspector' };
const PROFILES: readonly [string, Profile][] = [
  ['Claude', { redirects: OF_CLAUDE, adds: { scope: 'work-items:read', prompt: 'consent' } }],
  ['Claude at its second address', { redirects: OF_CLAUDE, sent: OF_CLAUDE[1] }],
  ['Claude Code', { redirects: ['http://localhost/callback'], sent: 'http://localhost:53682/callback' }],
  [
    'ChatGPT',
    {
      registers: {
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
      },
      redirects: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      adds: { nonce: 'n', scope: 'openid offline_access work-items:read' },
    },
  ],
  // An address of its own for each service that it is connected to, and a document.
  ['ChatGPT with a document', { redirects: ['https://chatgpt.com/connector/oauth/x9Zq3Lw0TtAb'] }],
  [
    'Codex',
    // The end of the path is made of the address of the service: https://github.com/openai/codex/pull/20237
    {
      registers: {},
      redirects: ['http://127.0.0.1:1455/callback/Vb3kQ_9-xWm1'],
      sent: 'http://127.0.0.1:49152/callback/Vb3kQ_9-xWm1',
    },
  ],
  [
    'VS Code',
    {
      redirects: OF_VS_CODE,
      sent: 'http://127.0.0.1:41001/',
      adds: { scope: undefined, prompt: undefined },
      leavesOutAtToken: ['resource'],
    },
  ],
  [
    'VS Code that registers itself',
    {
      registers: {
        client_uri: 'https://code.visualstudio.com',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      redirects: OF_VS_CODE,
      sent: 'http://127.0.0.1:59656/',
    },
  ],
  [
    'VS Code on the web',
    { redirects: OF_VS_CODE, sent: OF_VS_CODE[1], adds: { state: 'vscode%3A%2F%2Fdynamicauthprovider%2F1' } },
  ],
  ['Cursor', { ...CURSOR, redirects: ['http://localhost:8787/callback'] }],
  ['Cursor on the web', { ...CURSOR, redirects: ['https://www.cursor.com/agents/mcp/oauth/callback'] }],
  ['Cursor of an earlier version', { ...CURSOR, redirects: ['cursor://anysphere.cursor-mcp/oauth/callback'] }],
  ['Inspector', { registers: INSPECTOR, redirects: ['http://localhost:6274/oauth/callback'] }],
  ['The debugger of Inspector', { registers: INSPECTOR, redirects: ['http://localhost:6274/oauth/callback/debug'] }],
];

test.each(PROFILES)(
  '%s connects',
  async (name, { registers, redirects, sent = redirects[0], adds, leavesOutAtToken = [] }) => {
    const clientId = registers
      ? await register({ ...registers, client_name: name, redirect_uris: redirects })
      : apps.publish({ client_name: name, redirect_uris: redirects });
    const resource = `${base}/connect`;
    const verifier = newVerifier();
    const parameters = authorizeParameters(clientId, verifier, { redirect_uri: sent, resource, ...adds });
    const back = await decide(new URL(`${base}/connect/authorize?${parameters}`));
    expect(back.href.startsWith(`${sent}?`)).toBe(true);
    expect(back.searchParams.get('state')).toBe(parameters.get('state'));
    expect(back.searchParams.get('iss')).toBe(`${base}/connect`);
    const form: Record<string, string> = {
      ...{ grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', code_verifier: verifier },
      ...{ client_id: clientId, redirect_uri: sent, resource },
    };
    for (const left of leavesOutAtToken) delete form[left];
    const { body } = await askToken(base, form);
    const { status } = await sendMessage(base, body.access_token, { method: 'tools/list' });
    expect(status).toBe(200);
    const again = await askToken(base, {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
      client_id: clientId,
    });
    expect((await sendMessage(base, again.body.access_token, { method: 'tools/list' })).status).toBe(200);
  },
);

async function register(metadata: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await fetch(`${base}/connect/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  const { client_id: clientId } = (await response.json()) as { readonly client_id: string };
  expect(response.status).toBe(201);
  return clientId;
}

describe('over two gateways', () => {
  const accepted = async (tokens: readonly string[]) => {
    const asked = tokens.flatMap((token) => gateways.map((url) => sendMessage(url, token, { method: 'tools/list' })));
    return new Set((await Promise.all(asked)).map(({ status }) => status));
  };

  test('20 refreshes at once are answered alike, and nobody is signed out', async () => {
    const clientId = apps.publish();
    const { refresh_token } = await connectApp(base, cookie, clientId);
    const ask = (token: string, url = base) =>
      askToken(url, { grant_type: 'refresh_token', refresh_token: token, client_id: clientId });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(refresh_token, gateways[i % 2])));
    // Not even 503: a replica asks the database once for all that come at the same time.
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const given = answers.map(({ body }) => body);
    expect(new Set(given.map((body) => body.refresh_token)).size).toBe(1);
    expect(await accepted(given.map((body) => body.access_token))).toEqual(new Set([200]));
    expect((await ask(given[0]?.refresh_token ?? '')).status).toBe(200);
  });

  test.each<
    [string, (tokens: Awaited<ReturnType<typeof connectApp>>, clientId: string) => Promise<{ readonly status: number }>]
  >([
    [
      'its user disconnects it',
      async () => {
        const { data } = await asPerson<{ items: { id: string }[] }>(base, cookie, 'GET', '/api/grants?limit=1');
        return asPerson(base, cookie, 'DELETE', `/api/grants/${data.items[0]?.id}`);
      },
    ],
    [
      'it gives its grant back',
      ({ refresh_token: token }, client_id) => askToken(base, { token, client_id }, '/connect/revoke'),
    ],
    [
      'its code comes for the second time',
      async ({ code, verifier }, client_id) => {
        const form = {
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          client_id,
          redirect_uri: REDIRECT,
        };
        expect((await askToken(base, form)).status).toBe(400);
        return { status: 200 };
      },
    ],
  ])('a token that was accepted is refused by both once %s', async (_, end) => {
    const clientId = apps.publish();
    const tokens = await connectApp(base, cookie, clientId);
    expect(await accepted([tokens.access_token])).toEqual(new Set([200]));
    expect((await end(tokens, clientId)).status).toBe(200);
    expect(await accepted([tokens.access_token])).toEqual(new Set([401]));
  });
});
