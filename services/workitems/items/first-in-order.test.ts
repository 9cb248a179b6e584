import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { firstInOrder, type ItemOrder, type Which } from './first-in-order.repository.ts';
import { foundBy } from './found-by.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

/** A plain sort of all, beside what remembers where it found enough the last time. */
test('the first items are the first of all, whatever came, went or changed since they were last asked for', async () => {
  const { caller, project, column, create } = await startProject();
  const { organizationId } = caller;
  const { id } = await create('task');
  const pattern = (await ItemModel.findOne({ organizationId, _id: id }).lean()) as ItemRecord;
  let number = 1_000;
  const newItems = (count: number, fields: Partial<ItemRecord> = {}) =>
    ItemModel.insertMany(
      Array.from({ length: count }, () => {
        const names = { _id: uuidv7(), taskId: `W-T-${++number}` };
        // Positions come twice, and in another order than ids.
        return { ...pattern, ...names, foundBy: foundBy(names, null), position: (number * 37) % 101, ...fields };
      }),
    );
  const all = () => ItemModel.find({ organizationId }).lean<ItemRecord[]>();

  async function expectFirst(order: ItemOrder, which: Which, count: number): Promise<void> {
    const conditions = Object.entries({ ...which.byIndex, ...which.rest });
    const matching = (await all()).filter((item) =>
      conditions.every(([field, value]) => item[field as keyof ItemRecord] === value),
    );
    const byId = (a: ItemRecord, b: ItemRecord) => (a._id < b._id ? -1 : 1);
    matching.sort(order === 'newest' ? (a, b) => byId(b, a) : (a, b) => a.position - b.position || byId(a, b));
    const first = await firstInOrder<ItemRecord>({ caller }, which, order, count, { taskId: 1 });
    expect(first.map(({ taskId }) => taskId)).toEqual(matching.slice(0, count).map(({ taskId }) => taskId));
  }
  async function expectAll(): Promise<void> {
    const boardColumnId = column('Backlog');
    for (const count of [8, 50]) {
      await expectFirst('newest', { byIndex: {} }, count);
      await expectFirst('newest', { byIndex: { projectId: project.id } }, count);
      await expectFirst('newest', { byIndex: { projectId: project.id }, rest: { priority: 'high' } }, count);
      await expectFirst('column', { byIndex: { boardColumnId } }, count);
      await expectFirst('column', { byIndex: { boardColumnId, type: 'task', priority: 'high' } }, count);
      await expectFirst('column', { byIndex: { boardColumnId }, rest: { assignee: null } }, count);
    }
  }
  const change = async (which: (item: ItemRecord) => boolean, fields?: Partial<ItemRecord>) => {
    const ids = (await all()).filter(which).map(({ _id }) => _id);
    const filter = { organizationId, _id: mongoose.trusted({ $in: ids }) };
    await (fields ? ItemModel.updateMany(filter, { $set: fields }) : ItemModel.deleteMany(filter));
  };

  await newItems(150);
  await newItems(150, { priority: 'high' });
  await expectAll();
  await newItems(3, { priority: 'high', position: -1 });
  await expectAll();
  await change((item) => item.position < 20);
  await expectAll();
  await change((item) => item.position < 60, { boardColumnId: column('Done') });
  await expectAll();
  await change((item) => item.priority === 'high' && item.position < 95, { priority: 'low' });
  await expectAll();
  const newest = (await all()).sort((a, b) => (a._id < b._id ? 1 : -1)).slice(0, 120);
  await change((item) => newest.some(({ _id }) => _id === item._id));
  await expectAll();
  await change(() => true);
  await expectAll();
  await newItems(70, { priority: 'high' });
  await expectAll();
});
