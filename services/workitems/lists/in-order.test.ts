import { inOrder, type Order } from '@worktrack/runtime/database/in-order';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidAt } from '../../../test/support/uuid-at.ts';
import { foundBy } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { ORDERS } from './listed-items.repository.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const A_DAY_MS = 86_400_000;

/** Compares a plain sort of everything with the code that starts from where it found enough the last time. */
test('pages are those of all items in order, from the beginning and from any place, whatever came, went or changed between them', async () => {
  const { caller, project, column, create } = await startProject();
  const { organizationId } = caller;
  const { id } = await create('task');
  const pattern = (await ItemModel.findOne({ organizationId, _id: id }).lean()) as ItemRecord;
  let number = 1_000;
  const newItems = (count: number, fields: Partial<ItemRecord> = {}, ageMs = 0) =>
    ItemModel.insertMany(
      Array.from({ length: count }, (_, index) => {
        const names = { _id: idOfAge(ageMs * index), taskId: `W-T-${++number}` };
        // Positions occur twice, and in a different order from ids.
        return { ...pattern, ...names, foundBy: foundBy(names, null), position: (number * 37) % 101, ...fields };
      }),
      { lean: true },
    );
  const all = () => ItemModel.find({ organizationId }).lean<ItemRecord[]>();

  async function expectPages(order: Order, conditions: Partial<ItemRecord>, limit: number): Promise<void> {
    const matching = (await all()).filter((item) =>
      Object.entries(conditions).every(([field, value]) => item[field as keyof ItemRecord] === value),
    );
    const byId = (a: ItemRecord, b: ItemRecord) => (a._id < b._id ? -1 : 1);
    matching.sort(order.direction === -1 ? (a, b) => byId(b, a) : (a, b) => a.position - b.position || byId(a, b));
    const read = { filter: { organizationId, ...conditions }, order, limit, present: [] };
    const idsOf = (items: readonly ItemRecord[]) => items.map(({ _id }) => _id);
    for (const skip of [0, 3 * limit]) {
      const page = await inOrder<ItemRecord>(ItemModel, { ...read, skip });
      expect(idsOf(page)).toEqual(idsOf(matching.slice(skip, skip + limit)));
    }
    // Through all of them in a few steps; what is near the beginning was read in small ones.
    const step = Math.max(limit, 50);
    const seen: ItemRecord[] = [];
    for (let page: ItemRecord[] | undefined; page === undefined || page.length === step; ) {
      const last = seen.at(-1);
      const after = last && { id: last._id, value: last[order.field as '_id' | 'position'] };
      page = await inOrder<ItemRecord>(ItemModel, { ...read, limit: step, after });
      seen.push(...page);
    }
    expect(idsOf(seen)).toEqual(idsOf(matching));
  }
  async function expectAll(): Promise<void> {
    const boardColumnId = column('Backlog');
    for (const limit of [8, 50]) {
      await expectPages(ORDERS.newest, {}, limit);
      await expectPages(ORDERS.newest, { projectId: project.id }, limit);
      await expectPages(ORDERS.newest, { projectId: project.id, priority: 'high' }, limit);
      await expectPages(ORDERS.column, { boardColumnId }, limit);
      await expectPages(ORDERS.column, { boardColumnId, type: 'task', priority: 'high' }, limit);
      await expectPages(ORDERS.column, { boardColumnId, assignee: null }, limit);
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
  await newItems(40, {}, A_DAY_MS / 10);
  await newItems(10, { position: 123_456.5 }, 100 * A_DAY_MS);
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

test('a page that is requested again is one read', async () => {
  const { caller, column, create } = await startProject();
  const { organizationId } = caller;
  const { id } = await create('task');
  const pattern = (await ItemModel.findOne({ organizationId, _id: id }).lean()) as ItemRecord;
  await ItemModel.insertMany(
    Array.from({ length: 500 }, (_, index) => {
      const names = { _id: idOfAge(index * 1_000), taskId: `W-T-${100 + index}` };
      return { ...pattern, ...names, foundBy: foundBy(names, null), position: 100 + index };
    }),
    { lean: true },
  );
  const inColumn = { organizationId, boardColumnId: column('Backlog') };
  for (const [order, filter] of [
    [ORDERS.newest, { organizationId }],
    [ORDERS.column, inColumn],
  ] as const) {
    const reads: number[] = [];
    for (let time = 0; time < 5; time++) {
      let commands = 0;
      mongoose.set('debug', (collection: string) => {
        if (collection === ItemModel.collection.name) commands++;
      });
      await inOrder<ItemRecord>(ItemModel, { filter, order, limit: 50, present: [] });
      mongoose.set('debug', false);
      reads.push(commands);
    }
    expect(reads.slice(1)).toEqual([1, 1, 1, 1]);
  }
});

/** As uuidv7 makes it, some time ago. */
function idOfAge(ageMs: number): string {
  return ageMs === 0 ? uuidv7() : uuidAt(Date.now() - ageMs);
}
