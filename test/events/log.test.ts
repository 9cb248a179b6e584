import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

interface Page {
  readonly events: readonly LoggedEvent[];
  readonly nextSeq: number;
  readonly oldestSeq: number;
}

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

async function follow(after: number, query = ''): Promise<Page> {
  const { data } = await organization.call<Page>('GET', `/api/events?after=${after}${query}`);
  return data;
}

test('what is done over REST is soon in the log, in order, with who did it', async () => {
  const { call, boardId, columns, userId } = organization;
  // What creating the organization reported.
  await expect
    .poll(async () => (await follow(0)).events.map(({ type }) => type))
    .toEqual(expect.arrayContaining(['key.created', 'project.created']));
  const { data: end } = await call<Page>('GET', '/api/events');
  const { data: item } = await call<{ id: string; taskId: string }>('POST', '/api/work-items', {
    title: 'Logged',
    type: 'task',
    boardId,
    boardColumnId: columns['To Do'],
  });
  await call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: columns['In Progress'] });
  const query = `&workItemId=${item.taskId}`;
  await expect
    .poll(async () => (await follow(end.nextSeq, query)).events.map(({ type }) => type))
    .toEqual(expect.arrayContaining(['work_item.created', 'work_item.moved']));
  const { events } = await follow(end.nextSeq, query);
  expect(events.map(({ subject }) => subject)).toEqual(
    events.map(() => ({ kind: 'work_item', id: item.id, taskId: item.taskId })),
  );
  expect(events.map(({ actor }) => actor?.userId)).toEqual(events.map(() => userId));
  const revisions = events.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(events[0]).toMatchObject({ type: 'work_item.created', projectId: organization.projectId });
});

test('a cursor that the log does not have is 410, with the oldest event that it has', async () => {
  const answer = await organization.call('GET', '/api/events?after=1000000');
  expect([answer.status, answer.error.code]).toEqual([410, 'CURSOR_EXPIRED']);
  expect(answer.error).toMatchObject({ oldestSeq: 1 });
});

test('an unknown type is 400 and says which there are', async () => {
  const answer = await organization.call('GET', '/api/events?types=work_items.*');
  expect(answer.status).toBe(400);
  expect(answer.error.details?.[0]?.message).toMatch(/work_item\.\*/);
});
