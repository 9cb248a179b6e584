import { batchUpdateWorkItems } from '@worktrack/contracts/work-items/changes/batch-update';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const changesOf = (events: readonly { eventType: string; data: Readonly<Record<string, unknown>> }[]) =>
  events.filter(({ eventType }) => eventType === 'updated').map(({ data }) => data.changes);

test('each item is changed as it says, and what cannot be is skipped with a reason', async () => {
  const own = await startProject();
  const { id } = own.project;
  for (const name of ['Bug', 'Ui']) await call(own.caller, 'labels.create', { id, name, colour: '#c00000' });
  const [one, two, three, same] = [
    await own.create('task', { labels: ['Bug'] }),
    await own.create('epic'),
    await own.create('task'),
    await own.create('task', { priority: 'high' }),
  ];
  await own.update(three.id, { title: 'Changed meanwhile' });
  const { updatedCount, items, skipped } = await call(own.caller, 'workItems.batchUpdate', {
    items: [
      { id: one.taskId, priority: 'high', assignee: 'Ada', addLabels: ['ui'], removeLabels: ['Bug'], version: 1 },
      { id: two.id, dueDate: '2030-01-31', estimate: 5, labels: ['Bug'] },
      { id: three.id, priority: 'high', version: 1 },
      { id: same.id, priority: 'high', assignee: '' },
      { id: one.id, priority: 'low' },
      { id: 'W-T-999', priority: 'low' },
      { id: three.taskId, addLabels: ['nothing'] },
    ],
  });
  expect(updatedCount).toBe(2);
  expect(items.map(({ taskId, version }) => [taskId, version])).toEqual([
    ...[
      [one.taskId, 2],
      [two.taskId, 2],
      [same.taskId, 1],
    ],
  ]);
  expect(skipped.map((each) => [each.id, each.reason])).toEqual([
    [three.id, expect.stringContaining('its version is 2, not 1')],
    [one.id, expect.stringContaining('twice')],
    ['W-T-999', expect.stringContaining('no such work item')],
    [three.taskId, expect.stringContaining('no label "nothing"')],
  ]);
  expect(await own.get(one.id)).toMatchObject({ priority: 'high', assignee: 'Ada', labels: [{ name: 'Ui' }] });
  expect(await own.get(two.id)).toMatchObject({ dueDate: '2030-01-31', estimate: 5, labels: [{ name: 'Bug' }] });
  expect(changesOf(await own.history(one.id))).toEqual([
    {
      priority: { from: 'medium', to: 'high' },
      labels: { from: ['Bug'], to: ['Ui'] },
      assignee: { from: null, to: 'Ada' },
    },
  ]);
});

test('five hundred items are changed at once, also while others change them', async () => {
  const own = await startProject();
  const made = [];
  for (let from = 0; from < 500; from += 100) {
    const items = Array.from({ length: 100 }, (_, index) => ({ type: 'task' as const, title: `${from + index}` }));
    made.push(...(await call(own.caller, 'workItems.createMany', { items })).items);
  }
  const all = made.map(({ id }) => ({ id, priority: 'urgent' as const }));
  const others = made.slice(0, 5).map(({ id }) => own.update(id, { estimate: 3 }));
  const [{ updatedCount, skipped }] = await Promise.all([
    call(own.caller, 'workItems.batchUpdate', { items: all }),
    ...others,
  ]);
  expect([updatedCount, skipped]).toEqual([500, []]);
  for (const { id } of made.slice(0, 5)) {
    expect(await own.get(id)).toMatchObject({ priority: 'urgent', estimate: 3, version: 3 });
  }
});

test('a due date whose year is not written to its end is refused', () => {
  const faultOf = (dueDate: string) =>
    batchUpdateWorkItems.input.safeParse({ items: [{ id: 'W-T-1', dueDate }] }).error?.issues[0]?.message;
  expect(
    batchUpdateWorkItems.input.safeParse({ items: [{ id: 'W-T-1', dueDate: '01.12.2026' }] }).error?.issues,
  ).toHaveLength(1);
  const tooEarly = 'must be 1900-01-01 or later';
  expect(['0000-01-01', '0202-11-26', '1899-12-31', '1900-01-01', '9999-12-31'].map(faultOf)).toEqual([
    ...[tooEarly, tooEarly, tooEarly],
    ...[undefined, undefined],
  ]);
});

test('labels that several people add at once are all there, and no item gets more than twenty', async () => {
  const own = await startProject();
  const { id } = own.project;
  const names = Array.from({ length: 21 }, (_, index) => `L${index}`);
  for (const name of names) await call(own.caller, 'labels.create', { id, name, colour: '#c00000' });
  const item = await own.create('task');
  const [tooMuch, ...others] = names as [string, ...string[]];
  await Promise.all(others.map((name) => own.update(item.id, { addLabels: [name] })));
  expect((await own.get(item.id)).labels.map(({ name }) => name).sort()).toEqual([...others].sort());
  const refused = await failure(own.update(item.id, { addLabels: [tooMuch] }));
  expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('21 labels') });
  await own.update(item.id, { addLabels: [tooMuch], removeLabels: ['l1', 'L2'] });
  expect((await own.get(item.id)).labels).toHaveLength(19);
});
