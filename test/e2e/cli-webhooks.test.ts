import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery, Webhook as WebhookRecord } from '@worktrack/contracts/events/webhook';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ONE_FILE } from '../support/command.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';

/** No folder above it holds a stack. */
const folder = mkdtempSync(join(tmpdir(), 'worktrack-cli-webhooks-'));

let system: System;
let organization: TestOrganization;
let endpoint: Endpoint;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  endpoint = await Endpoint.start();
});
afterAll(async () => {
  await endpoint?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function webhook(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    WORKTRACK_URL: system.baseUrl,
    WORKTRACK_API_KEY: organization.apiKey,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [ONE_FILE, 'webhook', ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

async function json<T>(...args: string[]): Promise<T> {
  const ended = await webhook(...args, '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout) as T;
}

const headersOf = (index: number) => endpoint.received.at(index)?.headers as Record<string, string>;

test('a webhook is created, tested, rotated, shown, replayed, changed and deleted', async () => {
  const { call, boardId, columns } = organization;
  const made = await json<WebhookRecord & { secret: string }>(
    'create',
    ...['--url', endpoint.url, '--types', 'work_item.created', 'project.updated', '--description', 'Chat'],
  );
  expect(made).toMatchObject({ types: ['work_item.created', 'project.updated'], description: 'Chat', state: 'active' });
  const { id } = made;

  expect(await webhook('test', id)).toEqual({ code: 0, stdout: 'Delivered: HTTP 200.\n', stderr: '' });
  new Webhook(made.secret).verify(endpoint.received.at(-1)?.body ?? '', headersOf(-1));
  const rotated = await webhook('rotate', id);
  const secret = /whsec_\S+/.exec(rotated.stdout)?.[0] ?? '';
  await call('POST', '/api/work-items', { title: 'Told', type: 'task', boardId, boardColumnId: columns.Backlog });
  await expect.poll(() => endpoint.received.length).toBe(2);
  new Webhook(secret).verify(endpoint.received.at(-1)?.body ?? '', headersOf(-1));

  const delivered = async () => (await json<{ items: Delivery[] }>('deliveries', id, '--state', 'delivered')).items;
  await expect.poll(async () => (await delivered()).length).toBe(2);
  const [delivery] = await delivered();
  const table = await webhook('deliveries', id, '--limit', '1');
  expect(table.stdout).toContain('work_item.created');
  expect(table.stdout).toContain(`--cursor ${delivery?.id}`);
  expect((await webhook('replay', id, '--delivery', delivery?.id ?? '')).stdout).toBe('Sent again: 1.\n');
  await expect.poll(() => endpoint.received.length).toBe(3);
  expect(headersOf(-1)['webhook-id']).toBe(headersOf(-2)['webhook-id']);

  const changed = await webhook('update', id, '--types', 'work_item.*', '--disable');
  expect(changed.stdout).toMatch(/Types +work_item\.\*\n/);
  const listed = await webhook('list');
  expect(listed.stdout).toContain('disabled');
  expect((await webhook('delete', id)).stdout).toBe('Deleted.\n');
  expect((await webhook('list')).stdout).toBe('There are no webhooks.\n');
});

test('a test that fails ends with 1 and says why; what an endpoint answers cannot control a terminal', async () => {
  endpoint.answers(() => (response) => response.writeHead(500).end('\u001b[2J'));
  const { id } = await json<WebhookRecord>('create', '--url', endpoint.url, '--disable');
  expect(await webhook('test', id)).toEqual({ code: 1, stdout: 'HTTP 500\n', stderr: '' });
  expect((await webhook('deliveries', id)).stdout).not.toContain('\u001b');
});

test('what is missing, or contradictory, ends with 2 before anything is sent', async () => {
  expect((await webhook('create')).code).toBe(2);
  expect((await webhook('update', 'x')).code).toBe(2);
  expect((await webhook('replay', 'x')).code).toBe(2);
  expect((await webhook('update', 'x', '--enable', '--disable')).code).toBe(2);
});
