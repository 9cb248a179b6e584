import { expect } from 'vitest';
import { takeOutbox } from '../../../test/support/outbox.ts';
import { call, callTogether } from '../testing.ts';
import type { ModelEvent, ModelItem } from './records.ts';
import type { Model } from './reference.ts';
import type { Service } from './service.ts';

const ALL_EVENTS = 200;

/** Compares the items and reports of all operations since the last time. */
export async function compareTouched(model: Model, service: Service): Promise<void> {
  const touched = [...model.touched];
  model.touched.clear();
  const items = touched.map((id) => model.items.get(id) ?? model.deleted.get(id)).filter((item) => item !== undefined);
  expect(items).toHaveLength(touched.length);
  await compareItems(model, service, items);
  await compareTold(model, service);
}

/** The events waiting to be published, which the operations since the last time have reported. They are removed afterwards. */
async function compareTold(model: Model, { caller }: Pick<Service, 'caller'>): Promise<void> {
  const events = await takeOutbox(caller.organizationId);
  // What needs somebody is not in the model.
  const ofItems = events.filter(
    ({ subject, type }) => subject.kind === 'work_item' && type !== 'work_item.needs_attention',
  );
  const expected = model.told.splice(0);
  const byItem = <Of>(all: readonly Of[], idOf: (each: Of) => string, whatOf: (each: Of) => string) =>
    new Map([...Map.groupBy(all, idOf)].map(([id, its]) => [model.called(id), its.map(whatOf)]));
  expect(
    byItem(
      ofItems,
      ({ subject }) => subject.id,
      ({ type }) => type,
    ),
    'what was told, by item',
  ).toEqual(
    byItem(
      expected,
      ({ itemId }) => itemId,
      ({ what }) => `work_item.${what === 'comment' ? 'commented' : what}`,
    ),
  );
  for (const its of Map.groupBy(ofItems, ({ subject }) => subject.id).values()) {
    const revisions = its.map(({ revision }) => revision);
    expect(revisions, 'revisions, in the order in which it happened').toEqual(revisions.toSorted((a, b) => a - b));
    for (const { subject, projectId } of its) {
      expect([subject.taskId, projectId]).toEqual([model.called(subject.id), expect.any(String)]);
    }
  }
}

/** All items, the order of all columns, the boards. */
async function compareState(model: Model, { caller, projectId }: Service): Promise<void> {
  const boards = await call(caller, 'boards.list', { id: projectId });
  expect(boards.map(({ id, columns }) => ({ id, columns: columns.map((column) => [column.id, column.name]) }))).toEqual(
    model.boards.map(({ id, columns }) => ({ id, columns: columns.map((column) => [column.id, column.name]) })),
  );
  for (const { id, name, items } of model.boards.flatMap(({ columns }) => columns)) {
    const listed = await allOf(model, caller, { boardColumnId: id });
    expect(listed, `the order of ${name}`).toEqual(items.map((each) => model.item(each).taskId));
  }
  await compareItems(model, { caller }, [...model.items.values()]);
}

/** Everything. */
export async function compareAll(model: Model, service: Service): Promise<void> {
  await compareState(model, service);
  const { caller } = service;
  expect(await allOf(model, caller, {}), 'all items, newest first').toEqual(model.list({}).map(({ taskId }) => taskId));
  for (const item of [...model.items.values(), ...model.deleted.values()]) {
    await compareHistory(service, item, ALL_EVENTS);
  }
  const { totals, budgets } = await call(caller, 'workItems.usage', {});
  expect(totals, 'usage of the project').toEqual(model.usage());
  expect(budgets, 'budgets of the project').toEqual(model.shownBudgets());
  const roots = [...model.items.values()].filter(({ parentId }) => parentId === null);
  for (const item of roots) {
    const { totals } = await call(caller, 'workItems.usage', { workItemId: item.id });
    expect(totals, `usage of ${item.taskId} and all below it`).toEqual(model.usage(item));
  }
  await compareTold(model, service);
  await expectNoneStranded(model, service);
}

/** Last, since it claims: no task is in a working column that nobody holds and nobody can claim. */
async function expectNoneStranded(model: Model, { caller, projectId }: Service): Promise<void> {
  for (const id of model.budgets.keys()) {
    const of = id === '' ? { projectId } : { workItemId: id };
    await call(caller, 'workItems.setBudget', { ...of, limitUsd: null });
  }
  const unheld = [...model.items.values()].filter((item) => model.isUnheld(item, Date.now()));
  for (const { id, taskId } of unheld) {
    const { claimed, reason } = await call(caller, 'workItems.claim', { agent: 'Anybody', ids: [id] });
    expect(claimed, `whether ${taskId}, which nobody holds, can be claimed: ${reason}`).toBe(true);
  }
}

/** With as many queries for all of them as for one. */
async function compareItems(
  model: Model,
  { caller }: Pick<Service, 'caller'>,
  items: readonly ModelItem[],
): Promise<void> {
  const answers = await callTogether(
    caller,
    'workItems.get',
    items.map(({ id }) => ({ id })),
  );
  for (const [n, item] of items.entries()) {
    const shown = answers[n];
    if (model.deleted.has(item.id)) {
      expect(shown, item.taskId).toMatchObject({ code: 'NOT_FOUND' });
      continue;
    }
    const view = model.view(item);
    const compared = Object.fromEntries(
      Object.keys(view).map((field) => [field, shown?.[field as keyof typeof shown]]),
    );
    expect(compared, item.taskId).toEqual(view);
    const bases = (shown as { onReturnedBase?: string[] }).onReturnedBase ?? [];
    expect(bases, `what was sent back under ${item.taskId}`).toEqual(model.basesOf(item));
  }
}

async function compareHistory({ caller }: Pick<Service, 'caller'>, item: ModelItem, limit: number): Promise<void> {
  const { taskId, title, totalEvents, events } = await call(caller, 'workItems.events', { workItemId: item.id, limit });
  expect({ taskId, title, totalEvents }).toEqual({
    taskId: item.taskId,
    title: item.title,
    totalEvents: item.history.length,
  });
  expect(
    events.map(({ eventType, data }) => ({ eventType, data })),
    `the history of ${item.taskId}, newest first`,
  ).toEqual(item.history.toReversed().slice(0, limit).map(shownEvent));
}

/** For changes in metadata, only the keys that differ are reported; the model does not know what else is in a creation or a session. */
function shownEvent({ eventType, data }: ModelEvent): unknown {
  if (eventType === 'created' || eventType === 'ai_session') return { eventType, data: expect.objectContaining(data) };
  const { metadata, ...changes } = (data.changes ?? {}) as Record<string, unknown>;
  if (!metadata) return { eventType, data };
  return { eventType, data: { changes: { ...changes, metadata: { from: ANY_OBJECT, to: ANY_OBJECT } } } };
}
const ANY_OBJECT = expect.any(Object);

type ListFilter = Parameters<Model['list']>[0];

/** Task IDs from all pages. */
async function allOf(model: Model, caller: Service['caller'], filter: ListFilter): Promise<string[]> {
  const total = model.list(filter).length;
  const limit = 100;
  const totalPages = Math.ceil(total / limit);
  const taskIds: string[] = [];
  for (let page = 1; page <= Math.max(1, totalPages); page++) {
    const { workItems, pagination } = await call(caller, 'workItems.list', { ...filter, page, limit });
    expect(pagination).toMatchObject({ page, limit, total, totalPages });
    taskIds.push(...workItems.map(({ taskId }) => taskId));
  }
  return taskIds;
}
