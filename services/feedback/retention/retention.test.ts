import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { DeletedSourceModel } from '../sources/deleted-sources.model.ts';
import { SourceModel } from '../sources/sources.model.ts';
import { codeOf, outcomes, startFeedback, submission } from '../testing.ts';
import { TurnModel } from './turns.model.ts';
import { extendTurn, takeTurn } from './turns.repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

let feedback: Awaited<ReturnType<typeof startFeedback>>;
beforeAll(async () => {
  feedback = await startFeedback();
});
afterAll(() => feedback.stop());
// The job is one for all organizations.
beforeEach(async () => {
  await Promise.all([SourceModel.deleteMany({}), DeletedSourceModel.deleteMany({}), TurnModel.deleteMany({})]);
});

const daysAgo = (days: number, now = Date.now()) => new Date(now - days * DAY_MS);

/** Items of a source, each this many days old, newest first. */
async function itemsAged(organizationId: string, sourceId: string, ages: readonly number[]): Promise<string[]> {
  const sent = ages.map((age) => submission({ organizationId, sourceId, message: `Aged ${age} of ${sourceId}` }));
  await feedback.ingest(sent);
  for (const [i, { itemId }] of sent.entries()) {
    await ItemModel.updateOne({ organizationId, _id: itemId }, { $set: { createdAt: daysAgo(ages[i] ?? 0) } });
  }
  return sent.map(({ itemId }) => itemId);
}

/** Which of an organization's items still have their message, by age in days. */
async function kept(organizationId: string): Promise<number[]> {
  const { items } = await feedback.call('feedback.list', { limit: 100 }, organizationId);
  return items.filter(({ message }) => message !== '').map(({ message }) => Number(message.split(' ')[1]));
}

describe('the daily pass', () => {
  test('erases what is older than its source keeps it, and nothing from sources that keep everything', async () => {
    const organizationId = randomUUID();
    const month = await feedback.call('sources.create', { name: 'Month', retentionDays: 30 }, organizationId);
    const forever = await feedback.call('sources.create', { name: 'Forever' }, organizationId);
    expect(month.retentionDays).toBe(30);
    await itemsAged(organizationId, month.id, [1, 29, 31, 400]);
    await itemsAged(organizationId, forever.id, [2, 401]);
    expect(await feedback.retention.runIfDue(new Date())).toBe(2);
    expect(await kept(organizationId)).toEqual([1, 2, 29, 401]);
    expect((await feedback.call('feedback.list', {}, organizationId)).items).toHaveLength(6);
  });

  test('is due again a day later, and continues from where it was, even after a change of the days', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Month', retentionDays: 30 }, organizationId);
    await itemsAged(organizationId, id, [5, 29, 31]);
    const now = Date.now();
    expect(await feedback.retention.runIfDue(new Date(now))).toBe(1);
    expect(await feedback.retention.runIfDue(new Date(now + DAY_MS - MINUTE_MS))).toBeUndefined();
    expect(await feedback.retention.runIfDue(new Date(now + DAY_MS + 1))).toBe(1);
    expect(await kept(organizationId)).toEqual([5]);
    await feedback.call('sources.update', { id, retentionDays: 3 }, organizationId);
    expect(await feedback.retention.runIfDue(new Date(now + 3 * DAY_MS))).toBe(1);
    expect(
      (await feedback.call('sources.update', { id, retentionDays: null }, organizationId)).retentionDays,
    ).toBeUndefined();
  });

  test('by a clock that was ahead keeps none from its time, nor from what came after it', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Month', retentionDays: 30 }, organizationId);
    const now = Date.now();
    expect(await feedback.retention.runIfDue(daysAgo(-50, now))).toBe(0);
    await itemsAged(organizationId, id, [5, 31]);
    expect(await feedback.retention.runIfDue(new Date(now))).toBe(1);
    expect(await feedback.retention.runIfDue(new Date(now + DAY_MS - MINUTE_MS))).toBeUndefined();
    expect(await kept(organizationId)).toEqual([5]);
  });

  test('is run by one of any number of replicas at once', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Week', retentionDays: 7 }, organizationId);
    await itemsAged(organizationId, id, [8, 9, 10]);
    const replicas = await Promise.all(Array.from({ length: 5 }, () => feedback.replica()));
    const now = new Date();
    const erased = await Promise.all(replicas.map(({ retention }) => retention.runIfDue(now)));
    expect(erased.toSorted()).toEqual([3, undefined, undefined, undefined, undefined]);
  });

  test('of a replica that is gone is taken over once its lease has ended, and a replica that was only slow notices', async () => {
    const begin = Date.now();
    const at = (ms: number) => new Date(begin + ms);
    expect(await takeTurn('duty', 'slow', at(0), at(100))).toBe(true);
    expect(await takeTurn('duty', 'other', at(99), at(199))).toBe(false);
    expect(await extendTurn('duty', 'slow', at(150))).toBe(true);
    expect(await takeTurn('duty', 'other', at(149), at(249))).toBe(false);
    expect(await takeTurn('duty', 'other', at(150), at(250))).toBe(true);
    expect(await extendTurn('duty', 'slow', at(300))).toBe(false);
  });
});

describe('what waited in a spool', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * (DAY_MS / 24)).toISOString();

  test('for longer than its source keeps anything is an item without its texts', async () => {
    const organizationId = randomUUID();
    const { id: sourceId } = await feedback.call('sources.create', { name: 'Day', retentionDays: 1 }, organizationId);
    expect(await feedback.retention.runIfDue(new Date())).toBe(0);
    const sent = [23, 25].map((hours) =>
      submission({ organizationId, sourceId, message: `Aged ${hours}`, acceptedAt: hoursAgo(hours) }),
    );
    expect(outcomes(await feedback.ingest(sent))).toEqual(['stored', 'stored']);
    expect(await kept(organizationId)).toEqual([23]);
    expect((await feedback.call('feedback.list', {}, organizationId)).items).toHaveLength(2);
    // The answer was lost, or the process died before it gave one.
    expect(outcomes(await feedback.ingest(sent))).toEqual(['replayed', 'replayed']);
    expect(await kept(organizationId)).toEqual([23]);
  });

  test('until long after its source was deleted is one, too', async () => {
    const organizationId = randomUUID();
    const { id: sourceId } = await feedback.call('sources.create', { name: 'Site' }, organizationId);
    await feedback.call('sources.delete', { id: sourceId, erase: true }, organizationId);
    await feedback.retention.runIfDue(new Date(Date.now() + 2 * DAY_MS));
    expect(await DeletedSourceModel.countDocuments()).toBe(0);
    await feedback.ingest([submission({ organizationId, sourceId, message: 'Aged 3', acceptedAt: hoursAgo(3) })]);
    expect((await feedback.call('feedback.list', {}, organizationId)).items).toHaveLength(1);
    expect(await kept(organizationId)).toEqual([]);
  });
});

describe('a source with items', () => {
  test('is deleted only with what it holds; the items stay without it', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Site' }, organizationId);
    const [newest = ''] = await itemsAged(organizationId, id, [0, 1, 2]);
    expect(await codeOf(feedback.call('sources.delete', { id }, organizationId))).toBe('CONFLICT');
    expect(await kept(organizationId)).toEqual([0, 1, 2]);
    expect(await feedback.call('sources.delete', { id, erase: true }, organizationId)).toEqual({ deleted: true, id });
    expect(await kept(organizationId)).toEqual([]);
    expect(await feedback.call('feedback.get', { id: newest }, organizationId)).toMatchObject({
      sourceId: id,
      message: '',
    });
    expect(await codeOf(feedback.call('sources.get', { id }, organizationId))).toBe('NOT_FOUND');
    expect(await codeOf(feedback.call('sources.delete', { id, erase: true }, organizationId))).toBe('NOT_FOUND');
  });

  test('is deleted like any other once its items are erased', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Site' }, organizationId);
    const [item = ''] = await itemsAged(organizationId, id, [0]);
    await feedback.call('feedback.delete', { id: item }, organizationId);
    expect(await feedback.call('sources.delete', { id }, organizationId)).toEqual({ deleted: true, id });
  });

  test('what arrived while it was being deleted is erased by the daily pass, which then forgets it', async () => {
    const organizationId = randomUUID();
    const { id } = await feedback.call('sources.create', { name: 'Site' }, organizationId);
    await feedback.call('sources.delete', { id }, organizationId);
    await itemsAged(organizationId, id, [0]);
    const now = Date.now();
    expect(await feedback.retention.runIfDue(new Date(now + MINUTE_MS))).toBe(1);
    expect(await kept(organizationId)).toEqual([]);
    expect(await DeletedSourceModel.countDocuments()).toBe(1);
    expect(await feedback.retention.runIfDue(new Date(now + 2 * DAY_MS))).toBe(0);
    expect(await DeletedSourceModel.countDocuments()).toBe(0);
  });
});
