import { beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';

interface Presence {
  readonly taskId: string;
  readonly people: { readonly id: string; readonly name: string }[];
  readonly repeatAfterSeconds: number;
}

const LEFT_WITHIN_MS = 60_000;

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

async function task(): Promise<string> {
  const { boardId, columns, call } = organization;
  const item = { title: 'Looked at', type: 'task', boardId, boardColumnId: columns['To Do'] };
  return (await call<{ id: string }>('POST', '/api/work-items', item)).data.id;
}

async function person(name: string, fields: object = {}) {
  const made = await organization.newUser({ name }, { permissions: ['work-items:read'], ...fields });
  const look = (id: string, fields = {}) => made.call<Presence>('PUT', `/api/work-items/${id}/presence`, fields);
  return { ...made, look };
}

test('who looks at an item sees the others who do, each once and by name, until they have left', async () => {
  const [id, other] = [await task(), await task()];
  const [ada, grace] = [await person('Ada'), await person('Grace')];
  expect((await ada.look(id)).data).toMatchObject({ people: [], repeatAfterSeconds: 5 });
  const seen = { people: [{ id: ada.id, name: 'Ada' }] };
  expect((await grace.look(id)).data).toMatchObject(seen);
  expect((await grace.look(id)).data).toMatchObject(seen);
  expect((await grace.look(other)).data.people).toEqual([]);
  expect((await ada.look(id)).data.people).toEqual([{ id: grace.id, name: 'Grace' }]);
  // Grace says nothing more, and Ada goes on.
  await expect
    .poll(async () => (await ada.look(id)).data.people, { timeout: LEFT_WITHIN_MS, interval: 1_000 })
    .toEqual([]);
});

test('who says so has left at once', async () => {
  const id = await task();
  const [ada, grace] = [await person('Ada'), await person('Grace')];
  await grace.look(id);
  expect((await ada.look(id)).data.people).toEqual([{ id: grace.id, name: 'Grace' }]);
  expect((await grace.look(id, { isLeaving: true })).data.people).toEqual([{ id: ada.id, name: 'Ada' }]);
  expect((await ada.look(id)).data.people).toEqual([]);
});

test('nobody is at an item any more once they may not see it, and under the name that they have now', async () => {
  const id = await task();
  const elsewhere = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Away', key: 'AW' });
  const [ada, ...others] = await Promise.all(
    ['Ada', 'Limited', 'Without key', 'Disabled', 'Grace'].map((n) => person(n)),
  );
  for (const { look } of others) await look(id);
  const names = async () => (await (ada as NonNullable<typeof ada>).look(id)).data.people.map(({ name }) => name);
  expect(await names()).toEqual(['Disabled', 'Grace', 'Limited', 'Without key']);
  const [limited, , disabled, grace] = others.map((each) => each.id);
  const changes = [
    ['PATCH', `/api/users/${limited}`, { projects: [elsewhere.data.id] }, ['Disabled', 'Grace', 'Without key']],
    ['DELETE', `/api/api-keys/${others[1]?.keyId}`, undefined, ['Disabled', 'Grace']],
    ['PATCH', `/api/users/${disabled}`, { disabled: true }, ['Grace']],
    ['PATCH', `/api/users/${grace}`, { name: 'Grace H.' }, ['Grace H.']],
  ] as const;
  for (const [method, path, body, left] of changes) {
    expect((await organization.call(method, path, body)).status).toBe(200);
    expect(await names()).toEqual(left);
  }
});

test('an item that one may not see has nobody at it', async () => {
  const id = await task();
  const elsewhere = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Elsewhere', key: 'E' });
  const limited = await person('Limited', { projects: [elsewhere.data.id] });
  expect(await limited.look(id)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  const stranger = await system.newOrganization();
  expect(await stranger.call('PUT', `/api/work-items/${id}/presence`, {})).toMatchObject({ status: 404 });
});
