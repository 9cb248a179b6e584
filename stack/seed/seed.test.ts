import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller } from '../../test/support/organization.ts';
import { type System, sharedSystem } from '../../test/support/system.ts';
import { seed } from './seed.ts';

let system: System;
const dataDir = mkdtempSync(join(tmpdir(), 'worktrack-seed-'));
beforeAll(async () => {
  system = await sharedSystem();
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const start = (givenKey?: string) => seed(dataDir, system.baseUrl, system.rabbitmqUrl, system.secrets, givenKey);

test('a start after the first project was deleted continues with the newest existing one, and creates one if there is none', async () => {
  const first = await start();
  const { isNew, ...kept } = await start();
  expect(isNew).toBe(false);
  expect({ ...kept, isNew: true }).toEqual(first);

  const call = caller(system.baseUrl, first.apiKey);
  const another = await call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', { name: 'Mine' });
  expect((await call('DELETE', `/api/projects/${first.projectId}`)).status).toBe(200);
  const second = await start();
  expect(second).toMatchObject({ projectId: another.data.id, boardId: another.data.defaultBoardId });
  expect(Object.keys(second.columns)).toEqual(Object.keys(first.columns));
  expect(Object.values(second.columns)).not.toEqual(Object.values(first.columns));

  expect((await call('DELETE', `/api/projects/${second.projectId}`)).status).toBe(200);
  const third = await start();
  expect((await call('GET', `/api/projects/${third.projectId}`)).data).toMatchObject({ name: 'First project' });
});

test('the key of a start that did not come to its end is shown by the next one', async () => {
  const { apiKey, organizationId } = await start();
  writeFileSync(join(dataDir, 'seed.json'), JSON.stringify({ apiKey, organizationId }));
  expect(await start()).toMatchObject({ apiKey, isNew: true });
  expect(await start()).toMatchObject({ apiKey, isNew: false });
});

test('a start after its key was rotated finds the same organization, and goes on with another key of it', async () => {
  const { isNew: _, works: _works, ...before } = await start();
  const call = caller(system.baseUrl, before.apiKey);
  const { data: me } = await call<{ key: { id: string } }>('GET', '/api/me');
  const rotated = await call<{ key: string }>('POST', `/api/api-keys/${me.key.id}/rotate`, { overlapSeconds: 0 });

  const withoutKey = { ...before, isNew: false, works: false };
  expect(await start()).toEqual(withoutKey);
  const { apiKey: foreign } = await system.newOrganization();
  expect(await start(foreign)).toEqual(withoutKey);
  const after = { ...before, apiKey: rotated.data.key, isNew: false, works: true };
  expect(await start(rotated.data.key)).toEqual(after);
  expect(await start()).toEqual(after);
});
