import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outboxOf, toldBy } from '../../test/support/outbox.ts';
import { ItemModel } from './items/items.model.ts';
import { receipts } from './items/received.repository.ts';
import { codeOf, startFeedback, submission } from './testing.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
beforeAll(async () => {
  feedback = await startFeedback();
});
afterAll(() => feedback.stop());

let organizationId: string;
let sourceId: string;
beforeEach(async () => {
  organizationId = randomUUID();
  ({ id: sourceId } = await feedback.call('sources.create', { name: 'Site' }, organizationId));
});

const told = (act: () => Promise<unknown>) => toldBy(organizationId, act);
const EMAIL = 'visitor@example.com';
const secrets = {
  message: 'The secret of a visitor',
  email: EMAIL,
  pageUrl: 'https://a.example/secret',
  locale: 'xx-XX',
};

/** An item that was received. */
async function received(changes: object = {}): Promise<string> {
  const sent = submission({ organizationId, sourceId, ...changes });
  await feedback.ingest([sent]);
  return sent.itemId;
}
/** As the publisher reads them. */
const waiting = async () => (await receipts.next(1_000)).filter((event) => event.organizationId === organizationId);
const publish = async () => receipts.remove(await waiting());

describe('the receipt of feedback is reported as an event', () => {
  test('from the item itself, until it is published', async () => {
    const sent = [1, 2, 3].map((n) => submission({ organizationId, sourceId, message: `Number ${n}` }));
    const { itemId } = sent[0] as (typeof sent)[number];
    expect(await told(() => feedback.ingest(sent))).toEqual([]);
    const events = await waiting();
    expect(events.map(({ subject }) => subject.id).toSorted()).toEqual(sent.map((each) => each.itemId).toSorted());
    const { createdAt } = await feedback.call('feedback.get', { id: itemId }, organizationId);
    const event = events.find(({ subject }) => subject.id === itemId);
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organizationId,
      type: 'feedback.received',
      at: createdAt,
      actor: null,
      subject: { kind: 'feedback', id: itemId },
      revision: 1,
      data: { sourceId },
    });
    // The same whenever it is made: the log recognizes it.
    expect(await waiting()).toEqual(events);
    await receipts.remove(events.slice(0, 2));
    expect(await waiting()).toEqual(events.slice(2));
    await publish();
    expect(await waiting()).toEqual([]);
  });

  test('once for a submission that comes again', async () => {
    const sent = submission({ organizationId, sourceId });
    await feedback.ingest([sent]);
    await publish();
    await feedback.ingest([sent]);
    expect(await waiting()).toEqual([]);
  });

  test.each([
    [
      'its status',
      (id: string) => feedback.call('feedback.update', { id, status: 'triaged' }, organizationId),
      'feedback.status_changed',
    ],
    [
      'its links',
      (id: string) => feedback.call('feedback.linkItem', { feedbackId: id, workItemId: randomUUID() }, organizationId),
      'feedback.linked',
    ],
    ['its texts', (id: string) => feedback.call('feedback.delete', { id }, organizationId), 'feedback.erased'],
    ['its sender', () => feedback.call('feedback.erase', { email: EMAIL }, organizationId), 'feedback.erased'],
    [
      'its source',
      () => feedback.call('sources.delete', { id: sourceId, erase: true }, organizationId),
      'feedback.erased',
    ],
  ])('before what a change of %s makes of it, which may come before it is published', async (_, change, type) => {
    const id = await received({ email: EMAIL });
    const [receipt] = await waiting();
    const events = (await told(() => change(id))).filter(({ subject }) => subject.id === id);
    const inOrder = events.toSorted((a, b) => a.revision - b.revision);
    expect(inOrder[0]).toEqual(receipt);
    expect(inOrder[1]).toMatchObject({ type, revision: 2 });
    expect(await waiting()).toEqual([]);
  });

  test('by exactly one of the changes that race for it', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await received({ message: `Round ${round}` });
      const events = await told(() =>
        Promise.all([
          feedback.call('feedback.update', { id, status: 'triaged' }, organizationId),
          feedback.call('feedback.delete', { id }, organizationId),
          feedback.call('feedback.erase', { email: EMAIL }, organizationId),
        ]),
      );
      const types = events.toSorted((a, b) => a.revision - b.revision).map(({ type }) => type);
      expect(types[0]).toBe('feedback.received');
      expect(types.toSorted()).toEqual(['feedback.erased', 'feedback.received', 'feedback.status_changed']);
      expect(new Set(events.map(({ revision }) => revision))).toEqual(new Set([1, 2, 3]));
    }
  });
});

test('all of it is of the project that its source belongs to, but for a link, which may lead out of it', async () => {
  const projectId = randomUUID();
  ({ id: sourceId } = await feedback.call('sources.create', { name: 'Shop', projectId }, organizationId));
  const id = await received();
  expect(await waiting()).toMatchObject([{ type: 'feedback.received', projectId }]);
  const events = await told(async () => {
    await feedback.call('feedback.linkItem', { feedbackId: id, workItemId: randomUUID() }, organizationId);
    await feedback.call('feedback.delete', { id }, organizationId);
  });
  expect(Object.fromEntries(events.map((event) => [event.type, event.projectId]))).toEqual({
    'feedback.received': projectId,
    'feedback.linked': undefined,
    'feedback.status_changed': projectId,
    'feedback.erased': projectId,
  });
});

describe('what becomes of feedback is reported as an event', () => {
  test('for a change of status, with who changed it', async () => {
    const id = await received();
    await publish();
    const change = (status: 'triaged' | 'resolved') => feedback.call('feedback.update', { id, status }, organizationId);
    expect(await told(() => change('triaged'))).toMatchObject([
      {
        type: 'feedback.status_changed',
        actor: { userId: expect.any(String), keyId: expect.any(String) },
        subject: { kind: 'feedback', id },
        revision: 2,
        data: { changes: { status: { from: 'new', to: 'triaged' } } },
      },
    ]);
    expect(await told(() => change('triaged'))).toEqual([]);
    const missing = { id: randomUUID(), status: 'triaged' } as const;
    expect(await told(() => codeOf(feedback.call('feedback.update', missing, organizationId)))).toEqual([]);
  });

  test('for a link, once, with the status that follows from it', async () => {
    const id = await received();
    await publish();
    const workItemId = randomUUID();
    const link = () => feedback.call('feedback.linkItem', { feedbackId: id, workItemId }, organizationId);
    expect(
      await told(async () => {
        await link();
        await link();
      }),
    ).toMatchObject([
      { type: 'feedback.linked', revision: 2, data: { workItemId } },
      { type: 'feedback.status_changed', revision: 2, data: { changes: { status: { from: 'new', to: 'linked' } } } },
    ]);
    const unlink = () => feedback.call('feedback.unlinkItem', { feedbackId: id, workItemId }, organizationId);
    expect(
      await told(async () => {
        await unlink();
        await unlink();
      }),
    ).toMatchObject([
      { type: 'feedback.unlinked', revision: 3, data: { workItemId } },
      {
        type: 'feedback.status_changed',
        revision: 3,
        data: { changes: { status: { from: 'linked', to: 'triaged' } } },
      },
    ]);
  });

  test('for each item that is erased: by its address, with its source, and by its age, once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, (_, n) => received({ email: EMAIL, message: `Number ${n}` })),
    );
    await publish();
    const events = await told(async () => {
      await feedback.call('feedback.erase', { email: EMAIL }, organizationId);
      await feedback.call('feedback.erase', { email: EMAIL }, organizationId);
    });
    expect(events.map(({ type }) => type)).toEqual(ids.map(() => 'feedback.erased'));
    expect(new Set(events.map(({ subject }) => subject.id))).toEqual(new Set(ids));
    expect(events[0]).toMatchObject({ actor: { userId: expect.any(String) }, revision: 2, data: { sourceId } });

    const old = await received({ message: 'Old' });
    await ItemModel.updateOne({ organizationId, _id: old }, { $set: { createdAt: new Date(0) } });
    await feedback.call('sources.update', { id: sourceId, retentionDays: 30 }, organizationId);
    await publish();
    const byAge = await told(() => feedback.retention.runIfDue(new Date()));
    expect(byAge).toMatchObject([{ type: 'feedback.erased', actor: null, subject: { id: old } }]);
  });
});

describe('what is done to sources is reported as an event', () => {
  test('when one is created, changed and deleted', async () => {
    const { userId, keyId } = { userId: expect.any(String), keyId: expect.any(String) };
    expect(await outboxOf(organizationId)).toMatchObject([
      {
        type: 'source.created',
        actor: { userId, keyId },
        subject: { kind: 'source', id: sourceId },
        revision: 1,
        data: { name: 'Site' },
      },
    ]);
    const events = await told(async () => {
      await feedback.call('sources.update', { id: sourceId, name: 'Shop' }, organizationId);
      await feedback.call('sources.update', { id: sourceId, name: 'Shop' }, organizationId);
      await feedback.call('sources.delete', { id: sourceId, erase: true }, organizationId);
    });
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['source.updated', { changes: { name: { from: 'Site', to: 'Shop' } } }],
      ['source.updated', { changes: { enabled: { from: true, to: false } } }],
      ['source.deleted', { name: 'Shop' }],
    ]);
    const revisions = events.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(3);
  });
});

test('nothing that the public wrote ever appears in an event', async () => {
  const id = await received(secrets);
  const all = [...(await waiting())];
  await feedback.call('feedback.update', { id, status: 'triaged' }, organizationId);
  await feedback.call('feedback.linkItem', { feedbackId: id, workItemId: randomUUID() }, organizationId);
  await feedback.call('feedback.erase', { email: EMAIL }, organizationId);
  const json = JSON.stringify([...all, ...(await outboxOf(organizationId))]);
  for (const text of [...Object.values(secrets), 'https://a.example', 'h'.repeat(43)]) expect(json).not.toContain(text);
});
