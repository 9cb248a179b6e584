import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { MigrationModel } from '@worktrack/runtime/database/migrations/migrations.model';
import { OutboxModel, type OutboxRecord } from '@worktrack/runtime/database/outbox/outbox.model';
import { createLog } from '@worktrack/runtime/process/logging';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { uuidAt } from '../../../test/support/uuid-at.ts';
import { HistoryModel, type HistoryRecord } from '../history/history.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { logMigration } from './log.repository.ts';

const DAY_MS = 24 * 60 * 60_000;

beforeAll(startWorkItems);
afterAll(stopWorkItems);
beforeEach(async () => {
  await MigrationModel.deleteMany({});
  await HistoryModel.deleteMany({});
  await OutboxModel.deleteMany({});
});

const log = createLog('test', 'silent');
const replica = () => migrate([logMigration], { log, replacedAfterMs: 0 });
const outbox = (project: TestProject) =>
  OutboxModel.find({ organizationId: project.caller.organizationId }).sort({ _id: 1 }).lean<OutboxRecord[]>();

/** As a version without a log left it. */
async function makePast(): Promise<void> {
  await HistoryModel.updateMany({}, { $unset: { told: 1 } });
  await OutboxModel.deleteMany({});
}

/** What a replica of such a version writes. */
function pastRecord(project: TestProject, workItemId: string, revision: number, atMs = Date.now()): HistoryRecord {
  const { organizationId, userId, keyId } = project.caller;
  return {
    _id: uuidAt(atMs),
    organizationId,
    workItemId,
    revision,
    eventType: 'comment',
    data: { text: `At ${revision}` },
    actor: { userId, keyId },
    createdAt: new Date(atMs),
  };
}

test('each record of the history becomes an event with the id of the record, and nothing more does', async () => {
  const project = await startProject();
  const kept = await project.create('task', { title: 'Kept' });
  await project.move(kept.id, 'Review');
  const gone = await project.create('idea', { title: 'Gone' });
  await call(project.caller, 'workItems.delete', { id: gone.id });
  await makePast();
  const history = await HistoryModel.find({}).sort({ _id: 1 }).lean<HistoryRecord[]>();
  expect(history.length).toBeGreaterThanOrEqual(4);

  await (await replica()).done;
  const events = await outbox(project);
  expect(events.map(({ _id }) => _id)).toEqual(history.map(({ _id }) => _id));
  const { userId, keyId } = project.caller;
  for (const [index, { createdAt, revision, data }] of history.entries()) {
    const event = events[index];
    expect(event).toMatchObject({ actor: { userId, keyId }, at: createdAt.toISOString(), revision });
    expect(JSON.parse(event?.data ?? '')).toEqual(data);
  }
  expect(events.map(({ type, subject, projectId }) => ({ type, subject, projectId }))).toEqual(
    expect.arrayContaining([
      {
        type: 'work_item.moved',
        subject: { kind: 'work_item', id: kept.id, taskId: kept.taskId },
        projectId: project.project.id,
      },
      { type: 'work_item.deleted', subject: { kind: 'work_item', id: gone.id, taskId: gone.taskId } },
    ]),
  );
});

test('what the log would no longer keep is not published', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  await HistoryModel.deleteMany({});
  const daysAgo = (days: number) => Date.now() - days * DAY_MS;
  const records = [31, 30.1, 29.9, 1].map((days, index) => pastRecord(project, id, index + 2, daysAgo(days)));
  await HistoryModel.insertMany(records);
  await makePast();
  await (await replica()).done;
  expect((await outbox(project)).map(({ _id }) => _id)).toEqual(records.slice(2).map(({ _id }) => _id));
});

test('an item’s events never wait for a later revision of it, whatever the clocks of the replicas said', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  await HistoryModel.deleteMany({});
  // By the clock, the latest revision comes first; and there is more than fits into one transaction.
  const records = Array.from({ length: 450 }, (_, index) =>
    pastRecord(project, id, 2 + index, Date.now() - (1 + index) * 1_000),
  );
  await HistoryModel.insertMany(records);
  await makePast();
  const migrations = await replica();
  const told: number[] = [];
  // As the publisher takes them: what is there, in order of revision.
  do {
    const found = await OutboxModel.find({}).sort({ revision: 1 }).lean<OutboxRecord[]>();
    told.push(...found.map(({ revision }) => revision));
    await OutboxModel.deleteMany({ _id: mongoose.trusted({ $in: found.map(({ _id }) => _id) }) });
  } while (told.length < records.length);
  await migrations.done;
  expect(told).toEqual(records.map(({ revision }) => revision));
  expect(await OutboxModel.countDocuments({})).toBe(0);
});

test('replicas that go through it together, alongside writes of both versions, publish each event once', async () => {
  const project = await startProject();
  const tasks = await Promise.all(Array.from({ length: 40 }, () => project.create('task')));
  await makePast();
  const before = (await HistoryModel.find({}).lean()).map(({ _id }) => _id);
  const older: HistoryRecord[] = [];
  const started = await Promise.all([replica(), replica()]);
  for (const { id } of tasks) {
    const record = pastRecord(project, id, 2);
    older.push(record);
    await Promise.all([project.update(id, { title: 'Changed' }), HistoryModel.insertMany([record])]);
  }
  await Promise.all(started.map(({ done }) => done));
  // The second pass may have ended before the older replica wrote the last ones: in production it waits for half an hour.
  await MigrationModel.updateMany({}, { $set: { passes: 1 } });
  await Promise.all((await Promise.all([replica(), replica()])).map(({ done }) => done));

  const ids = (await outbox(project)).map(({ _id }) => _id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([...before, ...older.map(({ _id }) => _id)]));
  expect(await HistoryModel.countDocuments({ told: null })).toBe(0);
});

test('it puts no more into the outbox than a publisher takes out', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  await HistoryModel.deleteMany({});
  await HistoryModel.insertMany(
    Array.from({ length: 2_600 }, (_, index) => pastRecord(project, id, 2 + index)),
    { lean: true },
  );
  await makePast();
  const migrations = await replica();
  let most = 0;
  let told = 0;
  while (told < 2_600) {
    const found = await OutboxModel.find({}, { _id: 1 }).lean();
    most = Math.max(most, found.length);
    // Slower than the migration: each time it takes out half of the outbox.
    const taken = found.slice(0, Math.max(1, found.length / 2)).map(({ _id }) => _id);
    told += (await OutboxModel.deleteMany({ _id: mongoose.trusted({ $in: taken }) })).deletedCount;
  }
  await migrations.done;
  expect(most).toBeLessThanOrEqual(2_200);
});

test('what is written from now on has one id in the history and in the log', async () => {
  const project = await startProject();
  const { id } = await project.create('task');
  await project.move(id, 'Review');
  const events = await outbox(project);
  const history = await project.history(id);
  expect(history.length).toBeGreaterThan(1);
  expect(events.map(({ _id }) => _id)).toEqual(expect.arrayContaining(history.map((event) => event.id)));
  await (await replica()).done;
  expect(await outbox(project)).toHaveLength(events.length);
});
