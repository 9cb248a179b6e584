import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '@worktrack/contracts/gateway/health';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-health-'));
const lastBackup = join(folder, 'last-backup');
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem({ env: { LAST_BACKUP_FILE: lastBackup } });
  organization = await system.newOrganization();
});
afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const look = async () => (await organization.call<Health>('GET', '/api/health')).data;

test('an owner sees components, queues, how long calls take, and versions', async () => {
  const { components, queues, lag, versions } = await look();
  const names = ['events', 'feedback', 'keys', 'rabbitmq', 'redis', 'workitems'];
  expect(components.map(({ name }) => name).toSorted()).toEqual(names);
  expect(components.every(({ state, detail }) => state === 'ok' && detail === null)).toBe(true);
  const consumersOf = new Map(queues.map(({ name, consumers }) => [name, consumers]));
  for (const read of ['rpc.keys', 'rpc.workitems', 'rpc.feedback', 'rpc.events', 'events.log']) {
    expect([read, consumersOf.get(read)]).toEqual([read, 1]);
  }
  expect(consumersOf.get('rpc.keys.dead')).toBe(0);
  expect(lag.map(({ service }) => service).toSorted()).toEqual(['events', 'feedback', 'keys', 'workitems']);
  for (const { seconds } of lag) expect(seconds).toBeGreaterThan(0);
  for (const name of ['worktrack', 'node', 'rabbitmq', 'redis']) expect(versions[name]).toMatch(/^\d+\.\d+/);
});

test('the last backup is the last change of the file that backups touch', async () => {
  expect((await look()).lastBackup).toBeNull();
  writeFileSync(lastBackup, '');
  utimesSync(lastBackup, new Date(), new Date('2026-03-02T09:30:00Z'));
  expect((await look()).lastBackup).toBe(statSync(lastBackup).mtime.toISOString());
});

test('a service that is gone is missing, and has no lag', async () => {
  const [feedback] = system.services.of('feedback');
  await feedback?.part.kill();
  await expect
    .poll(async () => {
      const { components, lag } = await look();
      const { state } = components.find(({ name }) => name === 'feedback') ?? {};
      return [state, lag.find(({ service }) => service === 'feedback')?.seconds];
    })
    .toEqual(['missing', null]);
  await feedback?.part.restart();
});

test('nobody but an owner sees it', async () => {
  const { call } = await organization.newUser({ role: 'admin' });
  const refused = await call('GET', '/api/health');
  expect(refused).toMatchObject({ status: 403, error: { code: 'PERMISSION_DENIED' } });
});
