import { randomUUID } from 'node:crypto';
import type { PublishedLogEvent } from '@worktrack/contracts/events/event';
import { MAX_COUNTED } from '@worktrack/contracts/fields';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { event, startEvents } from '../testing.ts';
import { NotificationModel } from './notifications.model.ts';

let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events.stop());

let organizationId: string;
let projectId: string;
let ada: string;
let grace: string;
let workItemId: string;
let revision: number;
beforeEach(() => {
  organizationId = randomUUID();
  projectId = randomUUID();
  ada = randomUUID();
  grace = randomUUID();
  workItemId = randomUUID();
  revision = 0;
});

const as =
  (userId: string) =>
  <Name extends Parameters<typeof events.call>[0]>(
    name: Name,
    input: Parameters<typeof events.call<Name>>[1],
    limits: { readonly projects?: string[] } = {},
  ) =>
    events.call(name, input, organizationId, undefined, { userId, ...limits });
const by = (userId: string, agent?: string) => ({ userId, keyId: randomUUID(), ...(agent && { agent }) });
const watch = (userId: string, watching = true) => as(userId)('notifications.setWatch', { workItemId, watching });

/** A write of its own, unless it says of which it is a part. */
function happens(type: PublishedLogEvent['type'], data: object = {}, changes: Partial<PublishedLogEvent> = {}) {
  return event({
    ...{ organizationId, projectId, type, subjectId: workItemId, taskId: 'W-T-1', actor: by(grace) },
    ...{ revision: changes.revision ?? ++revision, data: data as Record<string, unknown> },
    ...changes,
  });
}
async function told(userId: string, limits = {}): Promise<string[]> {
  const { notifications } = await as(userId)('notifications.stored', {}, limits);
  return notifications.map(({ kind, text }) => (text === undefined ? kind : `${kind} ${text}`));
}

describe('whoever watches an item', () => {
  test('is told what others do to it, newest first, from then on and no longer than that', async () => {
    await events.take([happens('work_item.moved')]);
    await watch(ada);
    await Promise.all([watch(ada), watch(ada)]);
    await events.take([happens('work_item.commented', { text: 'Which blue?' }), happens('work_item.updated')]);
    await events.take([happens('work_item.needs_attention', { kind: 'review' })]);
    await events.take([happens('work_item.moved', {}, { subject: { kind: 'work_item', id: randomUUID() } })]);
    expect(await told(ada)).toEqual(['need review', 'comment Which blue?']);
    await watch(ada, false);
    await events.take([happens('work_item.commented', { text: 'Never mind' })]);
    expect(await told(ada)).toHaveLength(2);
    expect(await told(grace)).toEqual([]);
  });

  test('is not told what they did, but what an agent did with their key', async () => {
    await watch(ada);
    await events.take([happens('work_item.moved', {}, { actor: by(ada) })]);
    expect(await told(ada)).toEqual([]);
    await events.take([happens('work_item.moved', {}, { actor: by(ada, 'nightly') }), happens('work_item.moved')]);
    expect(await told(ada)).toEqual(['move', 'move']);
  });

  test('forgets it when it is deleted, and when they are erased', async () => {
    await watch(ada);
    await watch(grace);
    await events.take([happens('work_item.moved', {}, { actor: null })]);
    await events.take([event({ organizationId, type: 'user.erased', subjectId: grace })]);
    expect([await told(ada), await told(grace)]).toEqual([['move'], []]);
    await events.take([happens('work_item.deleted')]);
    expect(await told(ada)).toEqual([]);
    expect(await as(ada)('notifications.isWatching', { workItemId })).toEqual({ watching: false, hasUnread: false });
  });

  test('and says that they have read it while it is deleted holds up nobody', async () => {
    const users = Array.from({ length: 8 }, () => randomUUID());
    for (let round = 0; round < 4; round++) {
      const items = Array.from({ length: 30 }, () => ({ kind: 'work_item' as const, id: randomUUID() }));
      await events.take(items.map((subject) => happens('work_item.commented', { mentions: users }, { subject })));
      await Promise.all([
        ...users.map((user) => as(user)('notifications.read', {})),
        events.take(items.map((subject) => happens('work_item.deleted', {}, { subject }))),
        ...users.map((user) => as(user)('notifications.read', {})),
      ]);
    }
    for (const user of users) expect(await told(user)).toEqual([]);
  });
});

describe('one write', () => {
  const parts = () => [
    happens('work_item.moved', {}, { revision: 7 }),
    happens('work_item.updated', { mentions: [ada] }, { revision: 7 }),
    happens('work_item.needs_attention', { kind: 'assigned', userId: ada }, { revision: 7 }),
  ];

  test('is told once, however often and in whatever parts its events come, and as what says most', async () => {
    await watch(ada);
    const [moved, updated, assigned] = parts() as [PublishedLogEvent, PublishedLogEvent, PublishedLogEvent];
    for (const batch of [[moved], [updated, moved], [assigned], [moved, updated, assigned]]) await events.take(batch);
    expect(await told(ada)).toEqual(['mention']);
    expect(await as(ada)('notifications.mentions', { limit: 10 })).toMatchObject({ count: 1 });
  });

  test('is not told again once it is read', async () => {
    await watch(ada);
    const batch = parts();
    await events.take(batch);
    const { unread } = await as(ada)('notifications.read', {});
    expect(unread).toBe(0);
    await Promise.all([events.take(batch), events.take(batch)]);
    expect(await as(ada)('notifications.stored', { unread: true })).toMatchObject({ notifications: [], unread: 0 });
  });
});

test('a user is told only of the kinds that they want, and of what is in projects that they may see', async () => {
  await watch(ada);
  expect((await as(ada)('notifications.settings', {})).kinds).toMatchObject({ move: true, change: false });
  await as(ada)('notifications.store', { kinds: { move: false, change: true }, address: 'ada@example.com' });
  const { kinds } = await as(ada)('notifications.store', {
    ...{ kinds: { comment: false }, address: 'ada@example.com' },
  });
  expect(kinds).toMatchObject({ move: false, change: true, comment: false, mention: true });
  await events.take([happens('work_item.moved'), happens('work_item.updated'), happens('work_item.commented')]);
  await events.take([happens('work_item.commented', { text: 'You', mentions: [ada] })]);
  expect(await told(ada)).toEqual(['mention You', 'change']);
  expect(await told(ada, { projects: [projectId] })).toHaveLength(2);
  expect(await told(ada, { projects: [randomUUID()] })).toEqual([]);
  await as(ada)('notifications.read', {}, { projects: [randomUUID()] });
  expect((await as(ada)('notifications.stored', {})).unread).toBe(2);
});

test('pages have each once, and another’s are neither seen nor read', async () => {
  await watch(ada);
  await events.take(Array.from({ length: 7 }, (_, at) => happens('work_item.commented', { text: String(at) })));
  const seen: (string | undefined)[] = [];
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await as(ada)('notifications.stored', { limit: 3, ...(cursor && { cursor }) });
    seen.push(...page.notifications.map(({ text }) => text));
    ids.push(...page.notifications.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
    await expect(as(grace)('notifications.stored', { cursor })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  }
  expect(new Set(seen).size).toBe(7);
  expect(seen).toHaveLength(7);
  await as(grace)('notifications.read', { ids });
  expect(await as(ada)('notifications.read', { ids: ids.slice(0, 2) })).toEqual({ unread: 5 });
  expect((await as(ada)('notifications.stored', { unread: true })).notifications).toHaveLength(5);
});

test('what was told of one item is marked as read, and nothing else, nor what is in another project', async () => {
  await watch(ada);
  await events.take([happens('work_item.moved'), happens('work_item.commented', { text: 'Seen' })]);
  const elsewhere = { workItemId: randomUUID() };
  await NotificationModel.create({
    ...{ _id: randomUUID(), organizationId, userId: ada, ...elsewhere, kind: 'move', at: new Date(), actor: null },
    ...{ projectId, revision: 1, taskId: 'W-T-2', isRead: false },
  });
  const about = () => as(ada)('notifications.isWatching', { workItemId });
  expect(await about()).toEqual({ watching: true, hasUnread: true });
  await as(ada)('notifications.read', { workItemId }, { projects: [randomUUID()] });
  await as(grace)('notifications.read', { workItemId });
  expect((await about()).hasUnread).toBe(true);
  expect(await as(ada)('notifications.read', { workItemId })).toEqual({ unread: 1 });
  expect((await about()).hasUnread).toBe(false);
  expect(await as(ada)('notifications.isWatching', elsewhere)).toEqual({ watching: false, hasUnread: true });
});

test('all are marked as read at once, also if there are more than are counted', async () => {
  const told = {
    organizationId,
    userId: ada,
    workItemId,
    kind: 'move',
    at: new Date(),
    actor: null,
    projectId,
  } as const;
  const many = Array.from({ length: MAX_COUNTED + 1 }, (_, at) => ({
    ...{ ...told, _id: randomUUID(), revision: at, taskId: 'W-T-1', isRead: false },
  }));
  await NotificationModel.insertMany(many, { lean: true });
  expect(await as(ada)('notifications.stored', { limit: 1 })).toMatchObject({ unread: MAX_COUNTED });
  expect(await as(ada)('notifications.read', {})).toEqual({ unread: 0 });
  expect(await as(ada)('notifications.stored', {})).toMatchObject({ unread: 0 });
});
