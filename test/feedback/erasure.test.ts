import { randomUUID } from 'node:crypto';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { ROLES } from '@worktrack/contracts/permissions';
import { beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { newSource, visitor } from './visitor.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

async function submitted(email: string): Promise<{ id: string; sourceId: string; message: string }> {
  const source = await newSource(organization);
  const message = `Personal ${randomUUID()}`;
  const { data } = await visitor(system.baseUrl).submit(source, { message, email });
  return { id: data.id, sourceId: source.id, message };
}

const read = async (id: string) => (await organization.call<FeedbackItem>('GET', `/api/feedback/items/${id}`)).data;

test('a deleted item keeps its status and its link to an idea, and its text is in no answer', async () => {
  const { id, message } = await submitted('ada@example.com');
  const idea = await organization.call<{ id: string }>('POST', '/api/work-items', {
    title: 'An idea',
    type: 'idea',
    boardId: organization.boardId,
    boardColumnId: organization.columns.Backlog,
  });
  await organization.call('POST', `/api/feedback/items/${id}/links`, { workItemId: idea.data.id });
  const deleted = await organization.call('DELETE', `/api/feedback/items/${id}`);
  expect(deleted).toMatchObject({ status: 200, data: { deleted: true, id } });
  const item = await read(id);
  expect(item).toMatchObject({ id, status: 'linked', linkedWorkItemIds: [idea.data.id], message: '', email: null });
  const answers = await Promise.all([
    organization.call('GET', `/api/work-items/${idea.data.id}/trace`),
    organization.call('GET', '/api/feedback/items'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.data.feedback).toMatchObject([{ id }]);
  expect(JSON.stringify([item, answers])).not.toContain(message);
});

test('everything from a sender is erased by owners and admins only, whatever else a key permits', async () => {
  const email = `${randomUUID()}@example.com`;
  const { id, message } = await submitted(email);
  for (const role of ROLES.filter((role) => role !== 'viewer')) {
    const { call } = await organization.newUser({ role }, { permissions: ['feedback:write'] });
    const answer = await call('POST', '/api/feedback/erase', { email });
    if (role === 'member') {
      expect(answer).toMatchObject({ status: 403, error: { code: 'PERMISSION_DENIED' } });
      expect(answer.error.message).toContain('owner or admin');
    } else expect(answer.status).toBe(200);
  }
  expect((await read(id)).message).toBe('');
  const other = await submitted(email);
  const without = await organization.newUser({ role: 'owner' }, { permissions: ['feedback:read'] });
  expect((await without.call('POST', '/api/feedback/erase', { email })).status).toBe(403);
  expect((await read(other.id)).message).toBe(other.message);
  const erased = await organization.call('POST', '/api/feedback/erase', { email: email.toUpperCase() });
  expect(erased.data).toEqual({ erased: 1 });
  expect(JSON.stringify(await read(other.id))).not.toContain(message);
});

test('a source that holds something is deleted only together with it', async () => {
  const { id, sourceId } = await submitted('ada@example.com');
  const path = `/api/feedback/sources/${sourceId}`;
  expect(await organization.call('DELETE', path)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
  expect((await organization.call('DELETE', `${path}?erase=true`)).status).toBe(200);
  expect(await read(id)).toMatchObject({ sourceId, message: '', email: null, pageUrl: null, origin: null });
});

test.each(['', 'nobody', 'a@b@c', 'ada@example.com, bob@example.com'])('%j is no sender', async (email) => {
  const answer = await organization.call('POST', '/api/feedback/erase', { email });
  expect(answer.status).toBe(400);
  expect(answer.error.details?.map(({ path }) => path)).toEqual(['email']);
});
