import { randomUUID } from 'node:crypto';
import type { LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepFor } from '../retention.repository.ts';
import { event, startEvents } from '../testing.ts';
import { append, insert } from './append.repository.ts';
import { heads } from './heads.repository.ts';
import { takeIn } from './intake.ts';
import { LogModel } from './log.model.ts';
import { at, following } from './places.repository.ts';

let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events.stop());

const several = (count: number, organizationId: string, changes: Parameters<typeof event>[0] = {}) =>
  Array.from({ length: count }, () => event({ organizationId, ...changes }));
const seqs = (of: readonly LoggedEvent[]) => of.map(({ seq }) => seq);
const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the log', () => {
  test('gives each organization places without a gap, in the order in which its events arrive', async () => {
    const organizations = [randomUUID(), randomUUID(), randomUUID()];
    const all = Array.from({ length: 900 }, (_, index) =>
      event({ organizationId: organizations[index % 3] as string }),
    );
    await events.take(all.slice(0, 700));
    await events.take(all.slice(700));
    for (const organizationId of organizations) {
      const logged = await events.everything(organizationId);
      expect(seqs(logged)).toEqual(upTo(300));
      expect(ids(logged)).toEqual(ids(all.filter((one) => one.organizationId === organizationId)));
    }
  });

  test('has an event once, however often it arrives', async () => {
    const organizationId = randomUUID();
    const all = several(40, organizationId);
    await events.take([...all.slice(0, 20), ...all.slice(0, 20)]);
    await events.take(all);
    expect(ids(await events.everything(organizationId))).toEqual(ids(all));
  });

  test('keeps an event as it was published', async () => {
    const published = event({
      type: 'work_item.moved',
      taskId: 'W-T-1',
      projectId: uuidv7(),
      actor: { userId: uuidv7(), keyId: uuidv7(), agent: 'builder' },
      revision: 12,
      data: { fromColumn: 'To Do', nested: { $set: [null, 1.5] }, 'a.b': 'ü' },
    });
    await events.take([published]);
    const { organizationId, ...rest } = published;
    expect(await events.everything(organizationId)).toEqual([{ seq: 1, ...rest }]);
  });

  test('has each event once and without a gap when several replicas take the same ones in at the same time', async () => {
    const organizationId = randomUUID();
    const all = several(600, organizationId);
    const told: number[] = [];
    const tell = (_: string, logged: readonly LoggedEvent[]) => told.push(...seqs(logged));
    const replica = async () => {
      for (let at = 0; at < all.length; at += 50) {
        const batch = all.slice(at, at + 50);
        // As its consumer does, as long as it fails.
        while (
          !(await takeIn(batch, tell).then(
            () => true,
            () => false,
          ))
        );
      }
    };
    await Promise.all([replica(), replica(), replica()]);
    const logged = await events.everything(organizationId);
    expect(seqs(logged)).toEqual(upTo(600));
    expect(ids(logged)).toEqual(ids(all));
    // By the one that stored it.
    expect(told.toSorted((a, b) => a - b)).toEqual(upTo(600));
  });
});

test('what a process stored before it died, without moving the head, keeps its place, and those that listen are told', async () => {
  const organizationId = randomUUID();
  const all = several(9, organizationId);
  await events.take(all.slice(0, 2));
  const head = (await heads([organizationId])).get(organizationId);
  if (!head) throw new Error('The log has begun.');
  await insert(append(head, all.slice(2, 5)).records);
  expect(ids(await events.everything(organizationId))).toEqual(ids(all.slice(0, 2)));
  const told: LoggedEvent[] = [];
  const tell = (_: string, logged: readonly LoggedEvent[]) => told.push(...logged);
  // Those that were not acknowledged come again.
  await takeIn(all.slice(2, 5), tell);
  expect(ids(await events.everything(organizationId))).toEqual(ids(all.slice(0, 5)));
  await insert(append({ ...head, seq: 5 }, all.slice(5, 7)).records);
  // Others go after what somebody else has stored.
  await takeIn([...all.slice(7), ...all.slice(5, 7)], tell);
  expect(ids(await events.everything(organizationId))).toEqual(ids(all));
  expect(seqs(await events.everything(organizationId))).toEqual(upTo(9));
  expect(ids(told)).toEqual(ids(all.slice(2)));
});

describe('GET /api/events', () => {
  const list = (
    organizationId: string,
    input: Parameters<typeof events.call<'events.list'>>[1],
    permissions = PERMISSIONS as readonly (typeof PERMISSIONS)[number][],
  ) => events.call('events.list', input, organizationId, permissions);

  test('without after says where the log ends, and reports nothing from before', async () => {
    const organizationId = randomUUID();
    expect(await list(organizationId, {})).toEqual({ events: [], nextSeq: 0, oldestSeq: 1 });
    await events.take(several(3, organizationId));
    expect(await list(organizationId, {})).toEqual({ events: [], nextSeq: 3, oldestSeq: 1 });
  });

  test('leads through everything with nextSeq, and stays at the end until something happens', async () => {
    const organizationId = randomUUID();
    await events.take(several(25, organizationId));
    const pages: number[][] = [];
    const read: number[] = [];
    const note = ({ command: { pipeline } }: mongo.CommandStartedEvent) => {
      const { $gt = 0, $lte } = pipeline?.[0]?.$match?.seq ?? {};
      if ($lte) read.push($lte - $gt);
    };
    const client = mongoose.connection.getClient().on('commandStarted', note);
    let after = 0;
    for (let page = 0; page < 4; page++) {
      const answer = await list(organizationId, { after, limit: 10 });
      pages.push(seqs(answer.events));
      after = answer.nextSeq;
    }
    client.off('commandStarted', note);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5, 0]);
    expect(pages.flat()).toEqual(upTo(25));
    // No more than is answered: twenty thousand events behind, each page read ten times as many.
    expect(read).toEqual([10, 10, 5]);
    await events.take(several(1, organizationId));
    expect(seqs((await list(organizationId, { after })).events)).toEqual([26]);
  });

  test('filters by type, kind, project and item, by either of its names', async () => {
    const organizationId = randomUUID();
    const projectId = uuidv7();
    const subjectId = uuidv7();
    await events.take([
      event({ organizationId, type: 'work_item.created', projectId, subjectId, taskId: 'W-T-7' }),
      event({ organizationId, type: 'work_item.moved', projectId }),
      event({ organizationId, type: 'feedback.received' }),
      event({ organizationId, type: 'project.updated', projectId, subjectId: projectId }),
      event({ organizationId, type: 'work_item.deleted', projectId, subjectId, taskId: 'W-T-7' }),
    ]);
    const found = async (filter: object) => seqs((await list(organizationId, { after: 0, ...filter })).events);
    expect(await found({ types: 'work_item.moved' })).toEqual([2]);
    expect(await found({ types: 'feedback.*, work_item.deleted' })).toEqual([3, 5]);
    expect(await found({ projectId })).toEqual([1, 2, 4, 5]);
    expect(await found({ workItemId: subjectId })).toEqual([1, 5]);
    expect(await found({ workItemId: 'w-t-7', types: 'work_item.*' })).toEqual([1, 5]);
    await expect(found({ types: 'work_item.moved,work_item.burned' })).rejects.toThrow(/work_item.burned/);
  });

  test('shows what the permissions of the key allow it to read, and skips the rest', async () => {
    const organizationId = randomUUID();
    await events.take([
      event({ organizationId, type: 'key.created' }),
      event({ organizationId, type: 'feedback.received' }),
      event({ organizationId, type: 'source.created' }),
      event({ organizationId, type: 'work_item.moved' }),
      event({ organizationId, type: 'user.updated' }),
      event({ organizationId, type: 'board.updated' }),
    ]);
    const seen = async (...permissions: (typeof PERMISSIONS)[number][]) => {
      const { events: shown, nextSeq } = await list(organizationId, { after: 0 }, permissions);
      return [...seqs(shown), `next ${nextSeq}`];
    };
    expect(await seen('feedback:read')).toEqual([2, 3, 'next 6']);
    expect(await seen('work-items:read', 'projects:read')).toEqual([4, 6, 'next 6']);
    expect(await seen()).toEqual(['next 6']);
  });

  test('shows nothing of another organization', async () => {
    const [mine, other] = [event(), event()];
    await events.take([mine, other]);
    expect(ids(await events.everything(mine.organizationId))).toEqual([mine.id]);
    expect((await list(mine.organizationId, { after: 0, workItemId: other.subject.id })).events).toEqual([]);
  });

  test('looks at a bounded stretch of the log in one call, and leads on with nextSeq even though it found nothing', async () => {
    const organizationId = randomUUID();
    await events.take([
      ...several(2_500, organizationId, { type: 'work_item.moved' }),
      ...several(1, organizationId, { type: 'project.created' }),
    ]);
    const first = await list(organizationId, { after: 0, types: 'project.*' });
    expect(first).toEqual({ events: [], nextSeq: 2_000, oldestSeq: 1 });
    const second = await list(organizationId, { after: first.nextSeq, types: 'project.*' });
    expect([seqs(second.events), second.nextSeq]).toEqual([[2_501], 2_501]);
  });

  test('refuses a cursor that is older than the log, or beyond its end, and says where the log begins', async () => {
    const organizationId = randomUUID();
    await events.take(several(10, organizationId));
    for (const seq of upTo(4)) await LogModel.deleteOne({ organizationId, seq });
    for (const after of [0, 3]) {
      await expect(list(organizationId, { after })).rejects.toMatchObject({
        code: 'CURSOR_EXPIRED',
        extra: { oldestSeq: 5 },
      });
    }
    expect(seqs((await list(organizationId, { after: 4 })).events)).toEqual([5, 6, 7, 8, 9, 10]);
    await expect(list(organizationId, { after: 11 })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
    // All of it has expired.
    await LogModel.deleteMany({ organizationId });
    await expect(list(organizationId, { after: 9 })).rejects.toMatchObject({ extra: { oldestSeq: 11 } });
    expect(await list(organizationId, { after: 10 })).toEqual({ events: [], nextSeq: 10, oldestSeq: 11 });
    await events.take(several(1, organizationId) as PublishedEvent[]);
    expect(seqs((await list(organizationId, { after: 10 })).events)).toEqual([11]);
  });
});

test('what follows a place is read from where the log now begins, and what it has dropped is left out', async () => {
  const organizationId = randomUUID();
  await events.take(several(10, organizationId));
  for (const seq of upTo(6)) await LogModel.deleteOne({ organizationId, seq });
  expect(seqs(await following(organizationId, 0, 3))).toEqual([7, 8, 9]);
  expect(seqs(await following(organizationId, 5, 3))).toEqual([7, 8]);
  expect(seqs(await following(organizationId, 9, 3))).toEqual([10]);
  expect(await following(organizationId, 10, 3)).toEqual([]);
  expect([...(await at(organizationId, [2, 8, 11])).keys()]).toEqual([8]);
});

test('a change of retention applies to what is already in the log', async () => {
  const expiry = async () =>
    (await LogModel.collection.indexes()).find(({ key }) => 'loggedAt' in key)?.expireAfterSeconds;
  await keepFor(30);
  expect(await expiry()).toBe(30 * 86_400);
  await keepFor(7);
  expect(await expiry()).toBe(7 * 86_400);
});
