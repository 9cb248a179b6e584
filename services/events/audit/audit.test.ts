import { randomUUID } from 'node:crypto';
import type { AuditDraft, AuditEntry } from '@worktrack/contracts/audit/entry';
import { AUDIT_ENTRY, type PublishedEvent } from '@worktrack/contracts/events/event';
import { chainedHash, commitmentTo, isSignedBy, publicKeyOf } from '@worktrack/runtime/audit/chain';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { loseReplyOfCommit } from '../../../test/support/lost-reply.ts';
import { auditedOf } from '../../../test/support/outbox.ts';
import { eraseNoted } from '../erasures/erase.ts';
import { ErasureModel } from '../erasures/erasures.model.ts';
import { LogModel } from '../log/log.model.ts';
import { takeAll } from '../take.ts';
import { event, startEvents } from '../testing.ts';
import { EntryModel } from './entries.model.ts';
import { chain, insertEntries } from './entries.repository.ts';
import { RefusalModel } from './refusals.model.ts';
import { enterRefusals } from './refusals.ts';

let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events.stop());

interface Given extends Partial<Omit<AuditDraft, 'id' | 'at'>> {
  readonly at?: string;
}

/** As a service publishes it. */
function entry(organizationId: string, given: Given = {}): PublishedEvent {
  const { at = new Date().toISOString(), ...rest } = given;
  const id = uuidv7();
  const data = {
    action: 'users.update',
    actor: { type: 'key', id: randomUUID(), name: 'CI', userId: randomUUID() },
    targets: [{ type: 'user', id: randomUUID(), name: 'Grace' }],
    context: { address: '203.0.113.7', userAgent: 'curl/8', requestId: 'r' },
    outcome: 'allowed',
    changes: [{ field: 'role', old: 'member', new: 'admin' }],
    ...rest,
  };
  return { ...event({ organizationId }), id, at, type: AUDIT_ENTRY, subject: { kind: 'audit', id }, data };
}

const everything = async (organizationId: string): Promise<AuditEntry[]> =>
  (await events.call('audit.list', { after: 0, limit: 200 }, organizationId)).entries;

/** From the places on, since reading the log is entered too, but only published later. */
function isWhole(entries: readonly AuditEntry[]): boolean {
  let before = '';
  return entries.every((each, index) => {
    const fits = each.seq === index + 1 && chainedHash(before, each) === each.hash;
    before = each.hash;
    return fits;
  });
}

describe('entering', () => {
  test('what several replicas take in at once, some of it twice, is entered once each and in one chain', async () => {
    const organizationId = randomUUID();
    const published = Array.from({ length: 60 }, () => entry(organizationId));
    const batches = Array.from({ length: 12 }, (_, index) => published.slice(index * 5, index * 5 + 10));
    await Promise.all(batches.map((batch) => events.take(batch)));
    const entries = await everything(organizationId);
    expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(published.map(({ id }) => id)));
    expect(entries).toHaveLength(60);
    expect(isWhole(entries)).toBe(true);
  });

  test('a change of anything in an entry no longer fits its hash', async () => {
    const organizationId = randomUUID();
    await events.take([entry(organizationId)]);
    const [original] = await everything(organizationId);
    if (!original) throw new Error('It was entered.');
    const changed: AuditEntry[] = [
      { ...original, at: new Date(0).toISOString() },
      { ...original, outcome: 'denied' },
      { ...original, actor: { ...original.actor, name: 'Somebody else' } },
      { ...original, context: { ...original.context, address: '192.0.2.1' } },
      { ...original, changes: [] },
      { ...original, salts: { ...original.salts, 'actor.name': '00' } },
    ];
    expect(changed.map((each) => chainedHash('', each) === original.hash)).toEqual(changed.map(() => false));
  });
});

describe('reading', () => {
  test.each(['actor', 'action', 'target'] as const)('by %s, newest first, page by page', async (filter) => {
    const organizationId = randomUUID();
    const one = entry(organizationId, { action: 'keys.create' });
    const { actor, targets, action } = one.data as unknown as AuditDraft;
    const same = Array.from({ length: 6 }, () => entry(organizationId, { actor, targets, action }));
    await events.take([one, ...same, ...Array.from({ length: 8 }, () => entry(organizationId))]);
    const value = { actor: actor.userId, action, target: targets[0]?.id }[filter] as string;
    const found: AuditEntry[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await events.call('audit.list', { [filter]: value, limit: 3, cursor }, organizationId);
      found.push(...page.entries);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(found.map(({ seq }) => seq)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  test('reads nothing again for whoever has all of it', async () => {
    const organizationId = randomUUID();
    await events.take(Array.from({ length: 5 }, () => entry(organizationId)));
    expect(await everything(organizationId)).toHaveLength(5);
    const filters: object[] = [];
    const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
      if (command.find === 'audit') filters.push(command.filter);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    onTestFinished(() => void client.off('commandStarted', note));
    const page = await events.call('audit.list', { after: 5, limit: 10 }, organizationId);
    expect(page).toEqual({ entries: [], nextCursor: null });
    expect(filters).toHaveLength(1);
    expect(filters).toMatchObject([{ organizationId, seq: { $gt: 5, $lte: 15 } }]);
  });

  test('by time, and from a place on', async () => {
    const organizationId = randomUUID();
    const startedAtMs = Date.now() - 60_000;
    const at = (second: number) => new Date(startedAtMs + second * 1_000).toISOString();
    await events.take(Array.from({ length: 10 }, (_, second) => entry(organizationId, { at: at(second) })));
    const range = { from: at(2), to: at(5) };
    const timed = await events.call('audit.list', range, organizationId);
    expect(timed.entries.map(({ seq }) => seq)).toEqual([5, 4, 3]);
    const rest = await events.call('audit.list', { after: 7, limit: 2 }, organizationId);
    expect(rest.entries.map(({ seq }) => seq)).toEqual([8, 9]);
    const more = await events.call(
      'audit.list',
      { after: 7, limit: 2, cursor: rest.nextCursor as string },
      organizationId,
    );
    expect(more).toMatchObject({ entries: [{ seq: 10 }], nextCursor: null });
  });

  test('from a place on, by what few have, finds each once, though retention has removed more at the beginning than one call reads', async () => {
    const organizationId = randomUUID();
    const drafts = Array.from({ length: 130 }, (_, index) => {
      const { id, at, data } = entry(organizationId, { action: index % 10 === 0 ? 'keys.create' : 'users.update' });
      return { organizationId, ...(data as unknown as Omit<AuditDraft, 'id' | 'at'>), id, at };
    });
    await insertEntries(chain({ seq: 5_000, hash: 'x', enteredAt: new Date(0) }, drafts));
    const found: number[] = [];
    for (let cursor: string | undefined, calls = 0; calls < 20; calls++) {
      const given = { after: 0, action: 'keys.create', limit: 20, cursor };
      const page = await events.call('audit.list', given, organizationId);
      found.push(...page.entries.map(({ seq }) => seq));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(found).toEqual(Array.from({ length: 13 }, (_, index) => 5_001 + 10 * index));
  });

  test('from a place on, continues behind what retention has left of a page', async () => {
    const organizationId = randomUUID();
    const drafts = Array.from({ length: 12 }, () => {
      const { id, at, data } = entry(organizationId);
      return { organizationId, ...(data as unknown as Omit<AuditDraft, 'id' | 'at'>), id, at };
    });
    await insertEntries(chain({ seq: 3, hash: 'x', enteredAt: new Date(0) }, drafts));
    const found: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await events.call('audit.list', { after: 0, limit: 5, cursor }, organizationId);
      found.push(...page.entries.map(({ seq }) => seq));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(found).toEqual(Array.from({ length: 12 }, (_, index) => 4 + index));
  });

  test('an export has everything that happened in its range, though something from before it was entered later', async () => {
    const organizationId = randomUUID();
    const at = (second: number) => new Date(Date.now() - 60_000 + second * 1_000).toISOString();
    const times = [at(0), at(20), at(30), at(10), at(40), at(15)];
    await events.take(times.map((each) => entry(organizationId, { at: each })));
    const seqs = async (range: { from?: string; to?: string }) =>
      (await events.exported(organizationId, range))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as AuditEntry).seq);
    expect(await seqs({ from: times[1] as string })).toEqual([2, 3, 4, 5, 6]);
    expect(await seqs({ from: times[2] as string, to: times[4] as string })).toEqual([3, 4, 5, 6]);
    expect(await seqs({ to: times[3] as string })).toEqual([1]);
    expect(await seqs({ from: at(50) })).toEqual([]);
  });

  test('of another organization finds nothing', async () => {
    const published = entry(randomUUID());
    await events.take([published]);
    expect(await everything(randomUUID())).toEqual([]);
  });
});

test('a reading is entered once, though the reply to the commit of its entry was lost', async () => {
  const organizationId = randomUUID();
  loseReplyOfCommit();
  await everything(organizationId);
  expect(await auditedOf(organizationId)).toMatchObject([{ action: 'audit.list' }]);
});

describe('heads', () => {
  test('one for each log that has grown, signed with a published key, and told as an event', async () => {
    const organizationId = randomUUID();
    await events.take([entry(organizationId), entry(organizationId)]);
    await Promise.all([events.signer.signAll(), events.signer.signAll()]);
    const { heads } = await events.call('audit.heads', {}, organizationId);
    const [last] = (await events.call('audit.list', {}, organizationId)).entries;
    expect(heads).toMatchObject([{ organizationId, seq: 2, hash: last?.hash }]);
    const [key] = events.signer.publicKeys().keys;
    const [head] = heads;
    if (!key || !head) throw new Error('There is one of each.');
    expect(isSignedBy(head, publicKeyOf(key))).toBe(true);
    expect(isSignedBy({ ...head, seq: 1 }, publicKeyOf(key))).toBe(false);
    await events.signer.signAll();
    expect((await events.call('audit.heads', {}, organizationId)).heads).toHaveLength(1);
  });
});

describe('refusals', () => {
  test('that are counted while those before them are entered are entered, too', async () => {
    const organizationId = randomUUID();
    const id = randomUUID();
    const minute = Math.floor(Date.now() / 60_000) - 2;
    const count = (nth: number) =>
      events.call(
        'audit.recordRefusals',
        { refusals: [{ ...refusal(organizationId, id, minute), count: nth }] },
        organizationId,
      );
    await count(1);
    const insert = vi.spyOn(EntryModel, 'insertMany');
    onTestFinished(() => insert.mockRestore());
    insert.mockImplementationOnce(async (...given: unknown[]) => {
      await count(10);
      return await (EntryModel.insertMany as (...all: unknown[]) => Promise<never>)(...given);
    });
    await enterRefusals();
    await enterRefusals();
    expect((await everything(organizationId)).map((entry) => entry.count)).toEqual([1, 10]);
    expect(await RefusalModel.countDocuments({ organizationId })).toBe(0);
  });

  const refusal = (organizationId: string, id: string, minute: number) => ({
    ...{ organizationId, minute, action: 'keys.create', targets: [] },
    actor: { type: 'key' as const, id, name: 'CI', userId: randomUUID() },
    context: { address: null, userAgent: null, requestId: 'r' },
  });

  test('of one kind become one entry per caller and minute, once that has ended, whoever counted them', async () => {
    const organizationId = randomUUID();
    const [one, other] = [randomUUID(), randomUUID()];
    const minute = Math.floor(Date.now() / 60_000);
    const refusals = [
      { ...refusal(organizationId, one, minute), count: 3 },
      { ...refusal(organizationId, one, minute), count: 4 },
      { ...refusal(organizationId, other, minute), count: 1 },
    ];
    await Promise.all(
      refusals.map((each) => events.call('audit.recordRefusals', { refusals: [each] }, organizationId)),
    );
    await enterRefusals(minute * 60_000 + 59_999);
    expect(await everything(organizationId)).toEqual([]);
    const after = (minute + 1) * 60_000 + 5_000;
    await Promise.all([enterRefusals(after), enterRefusals(after)]);
    const entries = await everything(organizationId);
    const told = entries.map(({ actor, count, outcome }) => ({ id: actor.id, count, outcome }));
    expect(new Set(told)).toEqual(
      new Set([
        { id: one, count: 7, outcome: 'denied' },
        { id: other, count: 1, outcome: 'denied' },
      ]),
    );
    expect(told).toHaveLength(2);
    expect(isWhole(entries)).toBe(true);
  });
});

test('erasing a user leaves neither name nor address, and the chain whole', async () => {
  const organizationId = randomUUID();
  const userId = randomUUID();
  const personal = ['Grace Hopper', 'Grace Murray', 'grace@example.com', '203.0.113.77', 'GracesBrowser/1'];
  const [name = '', former, email, address = '', userAgent = ''] = personal;
  const views = [{ assigneeNot: [name, 'Ada'] }, { priority: 'high' }];
  await events.take([
    event({ organizationId, data: { kind: 'assigned', userId, assignee: former }, type: 'work_item.needs_attention' }),
    event({ organizationId, data: { assignee: former, title: 'Grace' }, type: 'work_item.created' }),
    event({ organizationId, data: { changes: { assignee: { from: former, to: name } } } }),
    event({ organizationId, data: { changes: { assignee: { from: null, to: 'Grace' } } } }),
    event({
      organizationId,
      type: 'view.created',
      data: { name: 'A', filters: { assignee: `Ada,${former}`, page: 1 } },
    }),
    event({ organizationId, type: 'view.updated', data: { changes: { filters: { from: views[0], to: views[1] } } } }),
    event({ organizationId, type: 'user.created', subjectId: userId, data: { name, email, role: 'member' } }),
    entry(organizationId, {
      targets: [{ type: 'user', id: userId, name }],
      changes: [{ field: 'email', old: null, new: email }],
    }),
    entry(organizationId, {
      actor: { type: 'session', id: randomUUID(), name, userId },
      context: { address, userAgent, requestId: 'r' },
    }),
    entry(organizationId),
  ]);
  const before = await everything(organizationId);
  await events.take([event({ organizationId, type: 'user.erased', subjectId: userId })]);
  const [after, log] = [await everything(organizationId), await events.everything(organizationId)];
  const stored = JSON.stringify([after, log]);
  for (const text of personal) expect(stored).not.toContain(text);
  expect(stored).toContain('"title":"Grace"');
  expect(stored).toContain('"changes":{"assignee":{"from":null,"to":"Grace"}}');
  expect(stored).toContain('"filters":{"assignee":"Ada,Erased user","page":1}');
  expect(stored).toContain('"filters":{"from":{"assigneeNot":["Erased user","Ada"]},"to":{"priority":"high"}}');
  expect(isWhole(after)).toBe(true);
  expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
  expect(after[0]?.targets[0]?.name).toBe(commitmentTo(name, before[0]?.salts['targets.0.name'] as string));
});

test('what a name is learned from is erased last, so that an erasure that breaks off finds it again', async () => {
  const organizationId = randomUUID();
  const userId = randomUUID();
  const [name, former] = ['Grace Hopper', 'Grace Murray'];
  const published = [
    event({ organizationId, type: 'user.created', subjectId: userId, data: { name: former, role: 'member' } }),
    event({ organizationId, data: { kind: 'assigned', userId, assignee: name }, type: 'work_item.needs_attention' }),
    event({ organizationId, data: { assignee: former }, type: 'work_item.created' }),
    event({ organizationId, data: { changes: { assignee: { from: former, to: name } } } }),
  ];
  await events.take(published);
  const updated: unknown[] = [];
  mongoose.set('debug', (collection: string, method: string, filter: { readonly _id?: unknown }) => {
    if (collection === LogModel.collection.name && method === 'updateOne') updated.push(filter._id);
  });
  onTestFinished(() => void mongoose.set('debug', false));
  await events.take([event({ organizationId, type: 'user.erased', subjectId: userId })]);
  const [created, attention, ...others] = published.map(({ id }) => id);
  expect(updated).toEqual([...others, created, attention]);
});

test('what is taken in does not wait until a log is looked through for a user who was erased, and whoever comes next erases what is left', async () => {
  const organizationId = randomUUID();
  const userId = randomUUID();
  const name = 'Grace Hopper';
  await events.take([
    event({ organizationId, type: 'user.created', subjectId: userId, data: { name, role: 'member' } }),
    ...Array.from({ length: 20 }, () => event({ organizationId, data: { assignee: name }, type: 'work_item.created' })),
  ]);
  const erased = event({ organizationId, type: 'user.erased', subjectId: userId });
  const touched: string[] = [];
  mongoose.set('debug', (collection: string, method: string) => void touched.push(`${collection}.${method}`));
  onTestFinished(() => void mongoose.set('debug', false));
  await takeAll([erased], () => {});
  const { name: log } = LogModel.collection;
  expect(touched.filter((each) => each === `${log}.insertMany`)).toHaveLength(1);
  expect(touched.filter((each) => [`${log}.aggregate`, `${log}.updateOne`].includes(each))).toEqual([]);
  // In a process that has not taken it in.
  await eraseNoted();
  expect(JSON.stringify(await events.everything(organizationId))).not.toContain(name);
});

test('what comes from before work items had followed, as from an agent who takes one, is erased by a second look, after which no name is kept', async () => {
  const organizationId = randomUUID();
  const userId = randomUUID();
  const name = 'Grace Hopper';
  const log = async () => JSON.stringify(await events.everything(organizationId));
  await events.take([
    event({ organizationId, type: 'user.created', subjectId: userId, data: { name, role: 'member' } }),
    event({ organizationId, type: 'user.erased', subjectId: userId }),
    event({ organizationId, data: { changes: { assignee: { from: name, to: 'agent 7' } } } }),
  ]);
  await takeAll([event({ organizationId, data: { changes: { assignee: { from: name, to: 'agent 8' } } } })], () => {});
  expect(await log()).toContain(name);
  await eraseNoted(new Date(Date.now() + 3 * 60_000));
  expect(await log()).not.toContain(name);
  expect(await log()).toContain('"assignee":{"from":"Erased user","to":"agent 8"}');
  expect(await ErasureModel.countDocuments({ organizationId })).toBe(0);
});

test('erasing two users of the same entries at once, by two replicas, brings neither of them back, and what is exported meanwhile is whole', async () => {
  const organizationId = randomUUID();
  const people = ['Grace Hopper', 'Ada Lovelace'].map((name) => ({ name, id: randomUUID() }));
  const [grace, ada] = people as [(typeof people)[0], (typeof people)[0]];
  const actor = { type: 'session' as const, id: randomUUID(), name: grace.name, userId: grace.id };
  const targets = [{ type: 'user' as const, id: ada.id, name: ada.name }];
  await events.take(Array.from({ length: 60 }, () => entry(organizationId, { actor, targets })));
  const erasing = people.map(({ id }) => events.take([event({ organizationId, type: 'user.erased', subjectId: id })]));
  let isOver = false;
  const erased = Promise.all(erasing).then(() => (isOver = true));
  while (!isOver) expect(isWhole(await everything(organizationId))).toBe(true);
  await erased;
  const entries = await everything(organizationId);
  for (const { name } of people) expect(JSON.stringify(entries)).not.toContain(name);
  expect(isWhole(entries)).toBe(true);
});

test('what is entered after a user was erased, as a refusal of the same minute, has neither name nor address', async () => {
  const organizationId = randomUUID();
  const [userId, id] = [randomUUID(), randomUUID()];
  const personal = ['Grace Hopper', '203.0.113.77', 'GracesBrowser/1'];
  const [name = '', address = '', userAgent = ''] = personal;
  const actor = { type: 'session' as const, id, name, userId };
  const context = { address, userAgent, requestId: 'r' };
  const minute = Math.floor(Date.now() / 60_000);
  const refusal = { organizationId, minute, action: 'keys.create', targets: [], actor, context, count: 2 };
  await events.call('audit.recordRefusals', { refusals: [refusal] }, organizationId);
  await events.take([event({ organizationId, type: 'user.erased', subjectId: userId })]);
  await events.take([
    entry(organizationId, { actor, context }),
    entry(organizationId, { targets: [{ type: 'user', id: userId, name }] }),
    entry(organizationId),
  ]);
  await enterRefusals((minute + 1) * 60_000 + 5_000);
  const entries = await everything(organizationId);
  expect(entries).toHaveLength(4);
  for (const text of personal) expect(JSON.stringify(entries)).not.toContain(text);
  expect(JSON.stringify(entries)).toContain('"Grace"');
  expect(isWhole(entries)).toBe(true);
});
