import { createLabel, updateLabel } from '@worktrack/contracts/projects/label-operations';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const make = ({ caller, project }: TestProject, name: string, colour = '#1F6FEB') =>
  call(caller, 'labels.create', { id: project.id, name, colour });
const labelsOf = async ({ caller }: TestProject, id: string) =>
  (await call(caller, 'workItems.get', { id })).labels.map(({ name }) => name);
const changesOf = async ({ caller }: TestProject, workItemId: string) => {
  const { events } = await call(caller, 'workItems.events', { workItemId, eventType: 'updated' });
  return events.map(({ data }) => data.changes);
};

test('an item has the labels that are named, by id or in any case, on every board of the project', async () => {
  const own = await startProject();
  const { caller, project } = own;
  const [a11y, bug] = [await make(own, 'Accessibility'), await make(own, 'Bug')];
  expect(a11y).toMatchObject({ name: 'Accessibility', colour: '#1f6feb' });
  expect(await call(caller, 'labels.list', { id: project.id })).toEqual([a11y, bug]);
  const item = await own.create('task', { labels: ['bug', a11y.id, 'BUG'] });
  expect(item.labels).toEqual([a11y, bug]);
  const second = await call(caller, 'boards.create', { id: project.id, name: 'Second' });
  const there = {
    type: 'task' as const,
    title: 'There',
    boardId: second.id,
    boardColumnId: 'Backlog',
    labels: ['Bug'],
  };
  expect((await call(caller, 'workItems.create', there)).labels).toEqual([bug]);
  const { items } = await call(caller, 'workItems.createMany', {
    items: [{ type: 'task', title: 'Many', labels: ['bug'] }],
  });
  expect(await labelsOf(own, items[0]?.id as string)).toEqual(['Bug']);
});

test('a list by a label that is not there names those that are', async () => {
  const own = await startProject();
  const listed = (label: string) => call(own.caller, 'workItems.list', { projectId: own.project.id, label });
  expect((await failure(listed('bug'))).message).toBe('label: there is no label "bug". There are none.');
  for (const name of ['Bug', 'Accessibility']) await make(own, name);
  expect((await failure(listed('bog'))).message).toBe('label: there is no label "bog". Did you mean "Bug"?');
  expect((await failure(listed('urgent'))).message).toBe(
    'label: there is no label "urgent". There are "Bug", "Accessibility".',
  );
});

test('a change of labels is told by their names, and the same labels in another order are no change', async () => {
  const own = await startProject();
  await make(own, 'Bug');
  await make(own, 'Accessibility');
  const item = await own.create('task', {});
  const labelled = await own.update(item.id, { labels: ['Bug', 'Accessibility'] });
  expect((await own.update(item.id, { labels: ['accessibility', 'bug'] })).version).toBe(labelled.version);
  await own.update(item.id, { labels: [] });
  expect(await changesOf(own, item.id)).toEqual([
    { labels: { from: ['Accessibility', 'Bug'], to: [] } },
    { labels: { from: [], to: ['Accessibility', 'Bug'] } },
  ]);
});

test('a renamed label is renamed on its items, and a deleted one is on none', async () => {
  const own = await startProject();
  const { caller, project } = own;
  const bug = await make(own, 'Bug');
  const item = await own.create('task', { labels: ['Bug'] });
  await call(caller, 'labels.update', { id: project.id, labelId: bug.id, name: 'Defect' });
  expect(await labelsOf(own, item.id)).toEqual(['Defect']);
  expect(await failure(own.update(item.id, { labels: ['Bug'] }))).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining('It has "Defect"'),
  });
  await call(caller, 'labels.delete', { id: project.id, labelId: bug.id });
  expect(await labelsOf(own, item.id)).toEqual([]);
  const again = await make(own, 'Defect');
  expect(await labelsOf(own, item.id)).toEqual([]);
  expect(again.id).not.toBe(bug.id);
});

test('a name is taken once in a project, also by two at once, and other projects have their own', async () => {
  const own = await startProject();
  const results = await Promise.allSettled([make(own, 'Bug'), make(own, 'bug')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await failure(make(own, 'BUG'))).toMatchObject({ code: 'CONFLICT' });
  const elsewhere = await startProject('Elsewhere', own.organization);
  await make(elsewhere, 'Bug');
  const missing = { id: own.project.id, labelId: own.project.id };
  expect(await failure(call(own.caller, 'labels.delete', missing))).toMatchObject({ code: 'NOT_FOUND' });
});

test('no label is named none, in any case: filters take that for items without one', () => {
  const id = uuidv7();
  const isNamed = (name: string) => [
    createLabel.input.safeParse({ id, name, colour: '#1f6feb' }).success,
    updateLabel.input.safeParse({ id, labelId: id, name }).success,
  ];
  for (const name of ['none', ' None ']) expect(isNamed(name)).toEqual([false, false]);
  expect(isNamed('None yet')).toEqual([true, true]);
});

test('lists are narrowed by labels, in one project and in all', async () => {
  const own = await startProject();
  const { organization } = own;
  const elsewhere = await startProject('Elsewhere', organization);
  await make(own, 'Bug');
  await make(own, 'Docs');
  await make(elsewhere, 'bug');
  await own.create('task', { title: 'one', labels: ['Bug'] });
  await own.create('task', { title: 'two', labels: ['Bug', 'Docs'] });
  await own.create('task', { title: 'none' });
  await elsewhere.create('task', { title: 'there', labels: ['Bug'] });
  const titles = async (input: object, caller = own.caller) =>
    (await call(caller, 'workItems.list', input)).workItems.map(({ title }) => title);
  expect(await titles({ label: 'bug' })).toEqual(['two', 'one']);
  expect(await titles({ label: ['docs'], search: 'two' })).toEqual(['two']);
  expect(await titles({ label: 'bug,docs', boardColumnId: 'Backlog' })).toEqual(['one', 'two']);
  expect(await titles({ label: 'Bug' }, organization)).toEqual(['there', 'two', 'one']);
  expect((await call(own.caller, 'workItems.list', { label: 'bug' })).pagination.total).toBe(2);
  expect(await failure(titles({ label: 'bugs' }))).toMatchObject({ code: 'VALIDATION_FAILED' });
});
