import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isWellFormedKey } from '@worktrack/contracts/keys/key-format';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppServer, connectApp, sendMessage } from '../support/app.ts';
import { signIn } from '../support/browser-request.ts';
import { COMMAND, COMPILED_ONCE, ONE_FILE } from '../support/command.ts';
import { newIssuerKey } from '../support/issuer.ts';
import { caller } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

/** What `npx worktrack` runs: it makes sure of the dependencies, and runs the program with the project's own Node. */
const LAUNCHER = fileURLToPath(new URL('../../cli/worktrack.mjs', import.meta.url));
/** No folder above it holds a stack. */
const folder = mkdtempSync(join(tmpdir(), 'worktrack-cli-'));

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function worktrack(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = folder, command = args[0] === 'org' ? COMMAND : ONE_FILE } = {},
): Promise<Ended> {
  const { PATH } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...args],
      { cwd, env: { PATH, ...COMPILED_ONCE, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

/** Where `org create` finds the keys service, and the key that its requests need. */
const service = () => ({ RABBITMQ_URL: system.rabbitmqUrl, RPC_SECRETS_KEYS: system.secrets.RPC_SECRETS_KEYS });

/** An organization created by the command, and the command as its owner. */
async function ownOrganization() {
  const args = ['org', 'create', '--name', 'Example', '--owner-email', 'Ada@Example.com', '--json'];
  const made = await worktrack(args, service());
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { apiKey, user } = JSON.parse(made.stdout) as { apiKey: string; user: { id: string } };
  const env = { WORKTRACK_URL: system.baseUrl, WORKTRACK_API_KEY: apiKey };
  const run = (...rest: string[]) => worktrack(rest, env);
  const json = async <T>(...rest: string[]): Promise<T> => {
    const ended = await run(...rest, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout) as T;
  };
  return { apiKey, user, run, json };
}

describe('worktrack', () => {
  test('login-link prints the address that signs in to the console, as the user or as another one', async () => {
    const { user, run, json } = await ownOrganization();
    const { stdout } = await run('login-link');
    const code = new URL(stdout.trim()).hash.replace('#code=', '');
    expect(stdout).toBe(`${system.baseUrl}/console/#code=${code}\n`);
    expect(await signIn(system.baseUrl, { code })).toContain('wts_');
    const bob = await json<{ id: string }>(
      'user',
      'create',
      '--email',
      'b@example.com',
      '--name',
      'Bob',
      '--role',
      'viewer',
    );
    const mine = await json<{ url: string; userId: string }>('login-link');
    const his = await json<{ url: string; userId: string }>('login-link', '--user', bob.id);
    expect([mine.userId, his.userId]).toEqual([user.id, bob.id]);
    expect((await run('login-link', '--user', randomUUID())).code).toBe(1);
  });

  test('user invite prints the link of an invitation, which user withdraw ends, and what became of the mail', async () => {
    const { run, json } = await ownOrganization();
    const bob = await json<{ id: string }>(
      ...['user', 'create', '--email', 'b@example.com', '--name', 'Bob', '--role', 'viewer'],
    );
    const { stdout, stderr } = await run('user', 'invite', bob.id, '--language', 'de');
    const code = new URL(stdout.trim()).hash.replace('#code=', '');
    expect(stdout).toBe(`${system.baseUrl}/console/#code=${code}\n`);
    // The mail server of the tests takes no connections.
    expect(stderr).toBe('The mail server did not take the mail. Send this link yourself.\n');
    expect((await run('user', 'list')).stdout).toMatch(/ Bob +viewer +invited +/);
    expect((await run('inbox')).stdout).toMatch(/^invitation +\S+ \S+ +- +Bob <b@example.com>, until /m);
    expect(await signIn(system.baseUrl, { code })).toContain('wts_');
    const again = await json<{ url: string; userId: string; mail: string }>('user', 'invite', bob.id);
    expect(again).toMatchObject({
      url: expect.stringContaining('/console/#code=wtc_'),
      userId: bob.id,
      mail: 'failed',
    });
    expect((await run('user', 'withdraw', bob.id)).stdout).toContain('Withdrawn.');
    expect((await run('user', 'withdraw', bob.id)).code).toBe(1);
    expect((await run('user', 'invite', randomUUID())).code).toBe(1);
  });

  test('ends quietly when nobody reads its output any more', async () => {
    const program = spawn(process.execPath, [COMMAND, '--help'], {
      cwd: folder,
      env: { ...process.env, ...COMPILED_ONCE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    program.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('org create creates an organization, its owner and a key that holds all permissions', async () => {
    const args = ['org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada'];
    const made = await worktrack([...args, '--json'], service());
    const { organization, user, apiKey } = JSON.parse(made.stdout);
    expect(organization).toMatchObject({ name: 'Example' });
    expect(user).toMatchObject({ name: 'Ada', email: 'ada@example.com', role: 'owner' });
    expect(isWellFormedKey(apiKey)).toBe(true);
    const { data } = await caller(system.baseUrl, apiKey)('GET', '/api/me');
    expect(data).toMatchObject({ organization: { id: organization.id }, user: { id: user.id } });

    const inWords = await worktrack(args, service(), { command: LAUNCHER });
    expect(inWords.stdout).toMatch(/Organization {2}Example \(.*\)\nOwner {9}Ada <ada@example.com>.*\nAPI key {7}wt_/);
  });

  test('org key lets an owner in again when no key is left', async () => {
    const { apiKey, user, json } = await ownOrganization();
    const bob = { email: 'bob@example.com', name: 'Bob', role: 'owner' };
    const owner = caller(system.baseUrl, apiKey);
    const { data: me } = await owner<{ organization: { id: string }; key: { id: string } }>('GET', '/api/me');
    const recover = (id: string, ...rest: string[]) => worktrack(['org', 'key', id, ...rest, '--json'], service());
    await json('key', 'revoke', me.key.id);
    expect((await owner('GET', '/api/me')).status).toBe(401);
    const { apiKey: second } = JSON.parse((await recover(me.organization.id)).stdout) as { apiKey: string };
    const again = caller(system.baseUrl, second);
    expect((await again('GET', '/api/me')).data).toMatchObject({ user: { id: user.id, role: 'owner' } });
    expect((await again('GET', '/api/audit?action=organizations.createOwnerKey')).data).toMatchObject({
      entries: [{ actor: { type: 'system' }, targets: [{ id: user.id }, { type: 'key' }] }],
    });

    expect((await again('POST', '/api/users', bob)).status).toBe(201);
    expect(await recover(me.organization.id)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Example has several owners\. Name one with --owner-email: .*bob@example\.com/),
    });
    expect(await recover(me.organization.id, '--owner-email', 'eve@example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Its owners: '),
    });
    const ofBob = await recover(me.organization.id, '--owner-email', 'Bob@example.com');
    expect(JSON.parse(ofBob.stdout)).toMatchObject({ user: { name: 'Bob' } });
    expect(await recover(user.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('no organization') });
  });

  test('user create, list and update', async () => {
    const { run, json, user } = await ownOrganization();
    const bob = ['--email', 'bob@example.com', '--name', 'Bob 日本', '--role', 'member'];
    const created = await json<{ id: string }>('user', 'create', ...bob);
    expect(created).toMatchObject({ email: 'bob@example.com', role: 'member', disabled: false });
    const changed = await json('user', 'update', created.id, '--role', 'viewer', '--disable');
    expect(changed).toMatchObject({ role: 'viewer', disabled: true });
    expect(await json('user', 'list', '--limit', '1')).toMatchObject({ users: [changed], pagination: { total: 2 } });

    const table = (await run('user', 'list')).stdout.split('\n');
    expect(table[0]).toMatch(/^ID +EMAIL +NAME +ROLE +STATE +CREATED$/);
    expect(table[1]).toContain(`${created.id}  bob@example.com  Bob 日本  viewer  disabled  `);
    expect(table[2]).toContain(`${user.id}  ada@example.com  ada       owner   active    `);
    expect((await run('user', 'list', '--limit', '1')).stdout).toContain('Page 1 of 2, 2 users in total');
  });

  test('key create, list and revoke', async () => {
    const { run, json } = await ownOrganization();
    const created = await json<{ id: string; key: string }>(
      ...['key', 'create', '--name', 'CI', '--permission', 'projects:read', 'work-items:read'],
      ...['--expires-in-days', '30'],
    );
    expect(created).toMatchObject({ permissions: ['projects:read', 'work-items:read'] });
    const as = caller(system.baseUrl, created.key);
    expect((await as('GET', '/api/projects')).status).toBe(200);
    expect((await run('key', 'list')).stdout).toMatch(/CI +projects:read work-items:read .*\n.* First key +all /);
    expect(await json('key', 'revoke', created.id)).toMatchObject({ id: created.id });
    expect((await as('GET', '/api/projects')).status).toBe(401);
    expect(await json('key', 'list')).toHaveLength(1);
    expect(await json('key', 'list', '--all')).toHaveLength(2);
  });

  test('connected apps are listed and disconnected', async () => {
    const { apiKey, run, json } = await ownOrganization();
    const apps = await AppServer.start();
    try {
      const cookie = await signIn(system.baseUrl, { apiKey });
      const { access_token: token } = await connectApp(system.baseUrl, cookie, apps.publish());
      const [grant] = await json<{ id: string }[]>('grant', 'list', '--all');
      const { host } = new URL(apps.url);
      expect((await run('grant', 'list')).stdout).toMatch(
        new RegExp(`^ID .*\\n${grant?.id} +Test app +${host} +.*:read `),
      );
      expect((await run('grant', 'revoke', `${grant?.id}`)).stdout).toMatch(/^Disconnected\. /);
      expect((await sendMessage(system.baseUrl, token, { method: 'tools/list' })).status).toBe(401);
      expect((await run('grant', 'list')).stdout).toBe('No app is connected.\n');
      expect((await run('grant', 'list', '--include-ended')).stdout).toContain('(revoked)');
    } finally {
      await apps.stop();
    }
  });

  test('a rule of trust is made, changed, stopped and deleted', async () => {
    const { run, json } = await ownOrganization();
    const claims = ['--claim', 'repository_id=1', '--claim', 'repository_owner_id=2'];
    const create = ['trust', 'create', '--name', 'CI', '--preset', 'github', '--ttl', '5m', ...claims];
    expect((await run(...create)).stderr).toContain('must have one of workflow_ref');
    const refs = ['--claim', 'ref=refs/heads/main', '--claim', 'ref=refs/tags/v*'];
    const rule = await json<{ id: string }>(...create, ...refs);
    expect(rule).toMatchObject({
      claims: { repository_id: '1', repository_owner_id: '2', ref: ['refs/heads/main', 'refs/tags/v*'] },
      ttlSeconds: 300,
    });
    const changes = [
      '--name',
      'CI of main',
      '--ttl',
      '2m',
      '--permission',
      'work-items:read',
      ...claims,
      ...refs.slice(0, 2),
    ];
    expect(await json('trust', 'update', rule.id, ...changes)).toMatchObject({
      name: 'CI of main',
      claims: { repository_id: '1', repository_owner_id: '2', ref: 'refs/heads/main' },
      permissions: ['work-items:read'],
      ttlSeconds: 120,
    });
    expect((await run('trust', 'disable', rule.id)).stdout).toMatch(/^Stopped/);
    expect((await run('trust', 'list')).stdout).toContain('CI of main (disabled)');
    expect((await run('trust', 'enable', rule.id)).code).toBe(0);
    expect((await run('trust', 'delete', rule.id)).stdout).toMatch(/^Deleted/);
    expect((await run('trust', 'list')).stdout).toBe('There are no rules of trust.\n');
  });

  test('a rule of trust for a cluster takes its keys from a file', async () => {
    const { run, json } = await ownOrganization();
    const file = join(folder, 'jwks.json');
    const create = ['trust', 'create', '--name', 'Cluster', '--preset', 'kubernetes', '--issuer', 'https://k.example'];
    const rule = [...create, '--claim', 'sub=system:serviceaccount:ci:build', '--reuse', '3', '--jwks', file];
    expect((await run(...rule)).stderr).toContain('there is no such file');
    writeFileSync(file, 'kubectl: not found');
    expect((await run(...rule)).stderr).toContain('is not JSON');
    writeFileSync(file, JSON.stringify({ keys: [newIssuerKey('ES256', 'one').jwk] }));
    const made = await json<{ id: string; userId: string }>(...rule);
    expect(made).toMatchObject({ reuse: 3, jwks: { keys: [{ kid: 'one' }] } });
    const { id: user } = await json<{ id: string }>(
      'user',
      'create',
      '--email',
      'bot@example.com',
      '--name',
      'Bot',
      '--role',
      'member',
    );
    expect(await json(...rule, '--user', user)).toMatchObject({ userId: user });
    writeFileSync(file, JSON.stringify({ keys: [newIssuerKey('EdDSA', 'two').jwk] }));
    expect(await json('trust', 'update', made.id, '--jwks', file, '--reuse', '1')).toMatchObject({
      ...{ reuse: 1, jwks: { keys: [{ kid: 'two' }] }, userId: made.userId },
    });
  });

  test('source create, list, update and delete', async () => {
    const { run, json } = await ownOrganization();
    const created = await json<{ id: string; publicKey: string }>(
      ...['source', 'create', '--name', 'Site', '--domain', 'example.com', '*.example.com', '--no-captcha'],
    );
    expect(created).toMatchObject({
      type: 'widget',
      allowedDomains: ['example.com', '*.example.com'],
      requireCaptcha: false,
    });
    const project = await json<{ id: string }>('project', 'create', 'Shop');
    const ofProject = await json('source', 'update', created.id, '--project-id', project.id);
    expect(ofProject).toMatchObject({ projectId: project.id });
    expect(await json('source', 'update', created.id, '--all-projects')).not.toHaveProperty('projectId');
    const changed = await json('source', 'update', created.id, '--any-domain', '--captcha', '--disable');
    expect(changed).toMatchObject({ allowedDomains: [], requireCaptcha: true, enabled: false });
    await json('source', 'update', created.id, '--retention-days', '90');
    const days = await run('source', 'update', created.id, '--retention-days', '30d');
    expect(days).toMatchObject({ code: 2, stderr: expect.stringContaining('It must be a whole number.') });
    expect(await json('source', 'list')).toMatchObject([{ retentionDays: 90 }]);
    expect((await run('source', 'list')).stdout).toContain(
      `${created.publicKey}  Site  widget  any      yes      no  `,
    );
    expect(await json('source', 'delete', created.id)).toEqual({ deleted: true, id: created.id });
    expect((await run('source', 'list')).stdout).toBe('There are no sources.\n');
  });

  test('finds the local stack from a folder inside the one in which it was started', async () => {
    const { apiKey } = await ownOrganization();
    const below = join(folder, 'project', 'src');
    mkdirSync(below, { recursive: true });
    mkdirSync(join(folder, 'project', '.worktrack'));
    const stack = { baseUrl: system.baseUrl, apiKey, urls: { rabbitmq: system.rabbitmqUrl } };
    writeFileSync(join(folder, 'project', '.worktrack', 'stack.json'), JSON.stringify(stack));
    writeFileSync(join(folder, 'project', '.worktrack', 'secrets.json'), JSON.stringify(system.secrets));
    const listed = await worktrack(['user', 'list', '--json'], {}, { cwd: below });
    expect(JSON.parse(listed.stdout).users).toMatchObject([{ email: 'ada@example.com' }]);
    const made = await worktrack(
      ['org', 'create', '--name', 'B', '--owner-email', 'b@example.com'],
      {},
      { cwd: below },
    );
    expect(made.code).toBe(0);
  });
});

test('a plan of items may be YAML', async () => {
  const { run, json } = await ownOrganization();
  await json('project', 'create', 'Shop');
  writeFileSync(
    join(folder, 'plan.yaml'),
    ['- { ref: epic, title: All, type: epic }', '- title: First', '  type: task', '  parentId: "#epic"'].join('\n'),
  );
  const made = await json<{ items: { taskId: string }[] }>('item', 'create', '--file', 'plan.yaml');
  expect(made.items.map(({ taskId }) => taskId)).toEqual(['S-E-1', 'S-T-2']);
  writeFileSync(join(folder, 'broken.yaml'), '- {');
  expect(await run('item', 'create', '--file', 'broken.yaml')).toMatchObject({ code: 2, stdout: '' });
});

describe('every failure is one line on standard error that says what to do', () => {
  const nowhere = { WORKTRACK_URL: 'http://127.0.0.1:2', WORKTRACK_API_KEY: 'k' };
  test.each([
    [['user', 'list'], { WORKTRACK_URL: 'http://127.0.0.1:2' }, 2, /WORKTRACK_API_KEY is not/],
    [['user', 'list'], { ...nowhere, WORKTRACK_URL: 'localhost' }, 2, /WORKTRACK_URL is not an http/],
    [['user', 'list'], nowhere, 3, /Nothing answers at http:\/\/127.0.0.1:2 .*npm start/],
    [
      ['org', 'create', '--name', 'X', '--owner-email', 'x@example.com'],
      { RABBITMQ_URL: 'amqp://guest:secret@127.0.0.1:2', RPC_SECRETS_KEYS: `1:${'k'.repeat(32)}` },
      3,
      /RabbitMQ does not answer at amqp:\/\/127.0.0.1:2\./,
    ],
    [
      ['org', 'create', '--name', 'X', '--owner-email', 'x@example.com'],
      // Not the stack of this clone, if somebody has started one.
      { RABBITMQ_URL: 'amqp://guest:secret@127.0.0.1:2', WORKTRACK_DATA_DIR: folder },
      2,
      /RPC_SECRETS_KEYS/,
    ],
    [
      ['org', 'create', '--name', 'X', '--owner-email', 'x@example.com'],
      { WORKTRACK_DATA_DIR: folder },
      2,
      /set RABBITMQ_URL/,
    ],
    [['key', 'rotate', 'self', '--overlap', '5'], nowhere, 2, /a number with s, m, h or d/],
    [['user', 'list', '--limit', 'ten'], nowhere, 2, /whole number/],
    [['key', 'create'], nowhere, 2, /required option '--name <name>'/],
    [['usr'], nowhere, 2, /unknown command 'usr'/],
  ])('worktrack %j', async (args, env, code, message) => {
    const ended = await worktrack(args, env as unknown as Record<string, string>);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(ended).toMatchObject({ code, stdout: '' });
  });

  test('with the words of the service, the fields and the request id when it refuses', async () => {
    const { run, apiKey } = await ownOrganization();
    const refused = await run('user', 'create', '--email', 'bob', '--name', ' ', '--role', 'member');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^error: --email: [^:]*; --name: [^:]*\. \(VALIDATION_FAILED, request .+\)\n$/);
    const below = { WORKTRACK_URL: `${system.baseUrl}/api`, WORKTRACK_API_KEY: apiKey };
    expect((await worktrack(['project', 'list'], below)).stderr).toMatch(
      /^error: .*WORKTRACK_URL: it ends before \/api/,
    );
    expect((await run('key', 'revoke', 'zz')).stderr).toMatch(/^error: <id>: must be a UUID\. \(VALIDATION_FAILED/);
    const missing = await run('key', 'revoke', '0198c0de-0000-7000-8000-000000000000');
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stderr).toMatch(/^error: There is no API key .*\(NOT_FOUND, request .+\)\n$/);
    const claim = ['--claim', 'a=b', '--claim'];
    const trust = (...more: string[]) =>
      run('trust', 'create', '--name', 'CI', '--issuer', 'https://ci.example', ...more);
    expect((await trust(...claim, 'iss=c')).stderr).toMatch(/^error: --claim \(iss\) is checked of every token/);
    expect((await trust(...claim, 'c=d', '--ttl', '10s')).stderr).toMatch(/^error: option '--ttl .* at least 1m\./);
    expect((await trust(...claim, 'c=d', '--user', 'me')).stderr).toMatch(/^error: --user: must be a UUID\./);
    const rate = await run('key', 'create', '--name', 'CI', '--rate-limit', '5', '--rate-window', '0');
    expect(rate.stderr).toMatch(/^error: --rate-window: must be at least 1\./);
    const nowhere = '0198c0de-0000-7000-8000-000000000000';
    const limited = await run('key', 'create', '--name', 'CI', '--project', nowhere);
    expect(limited.stderr).toMatch(
      /^error: --project: names 0198c0de-[^(]*`worktrack project list` lists them\. \(VALID/,
    );
    const badName = await worktrack(['org', 'create', '--name', ' ', '--owner-email', 'x@example.com'], service());
    expect(badName).toMatchObject({ code: 1 });
    expect(badName.stderr).toMatch(/^error: --name: ((?!name:).)*\. \(VALIDATION_FAILED/);
  });
});
