import { OutboxModel } from '@worktrack/runtime/database/outbox/outbox.model';
import { outbox } from '@worktrack/runtime/database/outbox/outbox.repository';
import { inOrderOfRevisions, PublishedRevisions } from '@worktrack/runtime/events/order';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { HistoryModel } from './history.model.ts';
import { PastFirst } from './past-first.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);
beforeEach(async () => {
  await HistoryModel.deleteMany({});
  await OutboxModel.deleteMany({});
});

/** The ids of one batch, as the publisher takes and publishes it. */
async function batchOf(source: PastFirst): Promise<string[]> {
  const next = await source.next(100, undefined);
  const earlier = await source.earlier(new PublishedRevisions().openIn(next));
  const events = [...new Map([...next, ...earlier].map((event) => [event.id, event])).values()];
  await source.remove(events);
  return inOrderOfRevisions(events).map(({ id }) => id);
}

const idsOf = async (workItemId: string) =>
  (await HistoryModel.find({ workItemId }).sort({ revision: 1, _id: 1 }).lean()).map(({ _id }) => _id);
/** As a replica of a version without a log leaves what it writes. */
async function forgetToTell(workItemId: string): Promise<void> {
  await HistoryModel.updateMany({ workItemId }, { $unset: { told: 1 } });
  await OutboxModel.deleteMany({});
}

test('what the log does not yet know of an item comes before what happens to it, each once', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  const other = await project.create('task');
  await project.update(id, { title: 'Before' });
  await forgetToTell(id);
  const before = await idsOf(id);
  await project.update(id, { title: 'After' });
  const source = new PastFirst(outbox);
  const published = await batchOf(source);
  expect(published).toEqual(await idsOf(id));
  expect(published.slice(0, -1)).toEqual(before);
  expect(published).not.toEqual(expect.arrayContaining(await idsOf(other.id)));
  expect(await batchOf(source)).toEqual([]);
});

test('once all of the past has been published, the history is no longer looked at', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  await forgetToTell(id);
  await project.update(id, { title: 'After' });
  const source = new PastFirst(outbox);
  source.end();
  expect(await batchOf(source)).toHaveLength(1);
});
