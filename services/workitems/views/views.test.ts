import type { Caller } from '@worktrack/contracts/caller';
import { ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';
import { MAX_VIEWS } from '@worktrack/contracts/work-items/lists/view';
import { createView, updateView } from '@worktrack/contracts/work-items/lists/view-operations';
import { OutboxModel } from '@worktrack/runtime/database/outbox/outbox.model';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { faultsOf } from '@worktrack/runtime/validation/parse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { ViewModel } from './views.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const userOf = ({ organization }: TestProject, role: Role): Caller => ({
  ...{ ...organization, userId: uuidv7(), permissions: ROLE_PERMISSIONS[role] },
});
const names = async (caller: Caller, projectId?: string) =>
  (await call(caller, 'views.list', { ...(projectId && { projectId }) })).views.map(({ name }) => name);
const told = async ({ organization }: TestProject) => {
  const { organizationId } = organization;
  const events = await OutboxModel.find({ organizationId, 'subject.kind': 'view' }).sort({ _id: 1 }).lean();
  return events.map(({ type, projectId, data }) => [type, projectId, JSON.parse(data).name]);
};

test('a view belongs to a user, and is seen by others only while it is shared', async () => {
  const own = await startProject();
  const { id: projectId } = own.project;
  const [ada, grace] = [userOf(own, 'member'), userOf(own, 'member')];
  const filters = { priority: ['urgent', 'high'], overdue: true, sort: 'dueDate', columns: 'title,dueDate' };
  const mine = await call(ada, 'views.create', { name: ' Urgent ', projectId, filters });
  expect(mine).toMatchObject({ name: 'Urgent', projectId, shared: false, filters, createdBy: ada.userId });
  expect([await names(ada, projectId), await names(grace, projectId)]).toEqual([['Urgent'], []]);
  const input = { id: mine.id, name: 'Other' };
  expect(await failure(call(grace, 'views.update', input))).toMatchObject({ code: 'NOT_FOUND' });

  await call(ada, 'views.update', { id: mine.id, shared: true });
  expect([await names(ada), await names(grace)]).toEqual([['Urgent'], ['Urgent']]);
  expect(await failure(call(grace, 'views.update', input))).toMatchObject({ code: 'PERMISSION_DENIED' });
  expect(await failure(call(grace, 'views.delete', { id: mine.id }))).toMatchObject({ code: 'PERMISSION_DENIED' });
  const admin = userOf(own, 'admin');
  expect(await call(admin, 'views.update', input)).toMatchObject({ name: 'Other', createdBy: ada.userId });

  await call(admin, 'views.update', { id: mine.id, shared: false });
  expect([await names(ada), await names(admin)]).toEqual([['Other'], []]);
  expect(await call(ada, 'views.update', { id: mine.id, filters: {} })).toMatchObject({ name: 'Other', filters: {} });
  await call(ada, 'views.delete', { id: mine.id });
  expect(await names(ada)).toEqual([]);
});

test('the filters of a view are what a list takes, kept as they are given, and what is stored already is still shown', async () => {
  const own = await startProject();
  const saved = (filters: object) => call(own.caller, 'views.create', { name: 'A', filters } as never);
  const filters = {
    ...{
      type: 'task,story',
      priority: ['urgent', 'low'],
      assignee: 'Lovelace\\,Ada,me',
      labelNot: 'none',
      epic: 'w-e-1',
    },
    ...{ boardColumnId: 'To Do', overdue: 'false', dueAfter: '2026-01-31', dueBefore: '2026-02-01', sort: '-dueDate' },
    ...{ createdAfter: '2026-01-31', search: 'x', groupBy: 'epic', layout: 'list', board: uuidv7(), columns: 'none' },
  };
  const { id } = await saved(filters);
  const shown = async () => (await call(own.caller, 'views.list', {})).views[0]?.filters;
  expect(await shown()).toEqual(filters);
  const faults = (given: object) => faultsOf(createView.input, { name: 'A', filters: given });
  for (const [name, value, message] of [
    ['priorty', 'high', /did you mean priority\?$/],
    ['q', 'high', /known fields are search, .*labelNot.*, sort, .*layout/],
    ['page', 2, /^is not a known field/],
    ['projectId', own.project.id, /^is not a known field/],
    ['type', 'taks', /must be one of .*"task"/],
    ['sort', 'size', /^must be some of priority, /],
    ['overdue', 'yes', /^must be true or false/],
    ['epic', 'x', /^must be a UUID, a task ID such as W-E-2, or none$/],
    ['assignee', 5, /array/],
    ['assignee', '', /^must not be empty; for what is nobody’s, pass none$/],
    ['groupBy', 'size', /must be one of /],
    ['layout', 'cards', /^must be one of "board", "list"/],
    ['dueBefore', 'soon', /^must be a date/],
  ] as const) {
    const told = {
      path: expect.stringMatching(new RegExp(`^filters\\.${name}`)),
      message: expect.stringMatching(message),
    };
    expect(faults(JSON.parse(JSON.stringify({ [name]: value })))).toEqual([told]);
  }
  const reversed = { dueAfter: '2026-02-01', dueBefore: '2026-01-31' };
  expect(faults(reversed)).toEqual([{ path: 'filters.dueAfter', message: 'must not be after dueBefore' }]);
  expect(faultsOf(updateView.input, { id, filters: { priorty: 'high' } })).toHaveLength(1);

  const old = { q: 'x', work: ['a'], 'no name': 5, priority: 'highest' };
  await ViewModel.updateOne({ organizationId: own.caller.organizationId, _id: id }, { $set: { filters: old } });
  expect(await shown()).toEqual(old);
  expect(await call(own.caller, 'views.update', { id, name: 'B' })).toMatchObject({ name: 'B', filters: old });
});

test('a project that does not exist has no list of views, and one without any has an empty one', async () => {
  const { organization, project } = await startProject();
  expect(await names(organization, project.id)).toEqual([]);
  const of = (projectId: string) => failure(call(organization, 'views.list', { projectId }));
  const missing = await of(uuidv7());
  expect(missing).toMatchObject({ code: 'NOT_FOUND', message: expect.stringMatching(/^There is no project /) });
  const elsewhere = await startProject();
  expect((await of(elsewhere.project.id)).message.length).toBe(missing.message.length);
});

test('the log tells of shared views alone, and to their projects', async () => {
  const own = await startProject();
  const { id: projectId } = own.project;
  const elsewhere = await call(own.organization, 'projects.create', { name: 'Elsewhere' });
  const { id } = await call(own.caller, 'views.create', { name: 'A' });
  await call(own.caller, 'views.update', { id, name: 'B' });
  expect(await told(own)).toEqual([]);
  await call(own.caller, 'views.update', { id, shared: true });
  await call(own.caller, 'views.update', { id, name: 'C' });
  await call(own.caller, 'views.update', { id, name: 'C' });
  await call(own.caller, 'views.update', { id, projectId: elsewhere.id });
  await call(own.caller, 'views.update', { id, shared: false });
  const shared = await call(own.caller, 'views.create', { name: 'D', shared: true });
  await call(own.caller, 'views.delete', { id: shared.id });
  expect(await told(own)).toEqual([
    ['view.created', projectId, 'B'],
    ['view.updated', projectId, undefined],
    ['view.deleted', projectId, 'C'],
    ['view.created', elsewhere.id, 'C'],
    ['view.deleted', elsewhere.id, 'C'],
    ['view.created', projectId, 'D'],
    ['view.deleted', projectId, 'D'],
  ]);
});

test('whoever may only read keeps views for themselves', async () => {
  const own = await startProject();
  const viewer = userOf(own, 'viewer');
  const { id: projectId } = own.project;
  const { id } = await call(viewer, 'views.create', { name: 'Mine', projectId });
  for (const share of [
    call(viewer, 'views.create', { name: 'Ours', projectId, shared: true }),
    call(viewer, 'views.update', { id, shared: true }),
  ].map(failure)) {
    expect(await share).toMatchObject({ code: 'PERMISSION_DENIED' });
  }
});

test('what others see is changed by nobody who could not share it, though they did when they still could', async () => {
  const own = await startProject();
  const ada = userOf(own, 'member');
  const elsewhere = await call(own.organization, 'projects.create', { name: 'Elsewhere' });
  const { id } = await call(ada, 'views.create', { name: 'Ours', projectId: own.project.id, shared: true });
  const reading = { ...ada, permissions: ROLE_PERMISSIONS.viewer };
  for (const change of [
    call(reading, 'views.update', { id, name: 'Theirs' }),
    call(reading, 'views.update', { id, projectId: elsewhere.id }),
    call(reading, 'views.update', { id, shared: false }),
    call(reading, 'views.delete', { id }),
  ].map(failure)) {
    expect(await change).toMatchObject({ code: 'PERMISSION_DENIED' });
  }
  expect(await call(ada, 'views.update', { id, name: 'Still ours' })).toMatchObject({ name: 'Still ours' });
});

test('a page goes on where the one before ended, and a project takes its views with it', async () => {
  const own = await startProject();
  const { id: projectId } = own.project;
  const made = [];
  for (let index = 0; index < 5; index++) {
    made.push(await call(own.caller, 'views.create', { name: String(index), shared: index % 2 === 0 }));
  }
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await call(own.caller, 'views.list', { projectId, limit: 2, ...(cursor && { cursor }) });
    seen.push(...page.views.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor);
  expect(seen).toEqual(['4', '3', '2', '1', '0']);
  await call(own.organization, 'projects.delete', { id: projectId });
  expect(await names(own.organization)).toEqual([]);
  const id = made[0]?.id as string;
  expect(await failure(call(own.organization, 'views.delete', { id }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('of views that are added at once, no more are stored than a project has room for', async () => {
  const own = await startProject();
  const { caller } = own;
  for (let index = 0; index < MAX_VIEWS - 2; index++) await call(caller, 'views.create', { name: String(index) });
  const racing = await Promise.allSettled(
    Array.from({ length: 6 }, () => call(caller, 'views.create', { name: 'One more' })),
  );
  expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const full = await failure(call(caller, 'views.create', { name: 'No room' }));
  expect(full).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('100 views of yours') });
  await call(caller, 'views.create', { name: 'Shared ones are counted apart', shared: true });
});

test.each([[{ 'a.b': 'x' }], [{ $where: 'x' }], [{ nested: { a: 1 } }], [{ list: [1] }]])(
  'filters such as %j are refused',
  (filters) => {
    expect(updateView.input.safeParse({ id: uuidv7(), filters }).success).toBe(false);
  },
);
