import { createHash, randomUUID } from 'node:crypto';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, outcomes, startFeedback, submission } from '../testing.ts';
import { emailKeyOf } from './erasure.repository.ts';
import { foundByMigration } from './found-by.repository.ts';
import { ItemModel } from './items.model.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
beforeAll(async () => {
  feedback = await startFeedback();
});
afterAll(() => feedback.stop());

/** The collections of the service's database that contain any of these words anywhere. */
async function collectionsWith(...words: string[]): Promise<string[]> {
  const database = mongoose.connection.db as mongoose.mongo.Db;
  const names = (await database.listCollections().toArray()).map(({ name }) => name);
  expect(names).toContain('effects');
  const found = await Promise.all(
    names.map(async (name) => {
      const text = JSON.stringify(await database.collection(name).find().toArray()).toLowerCase();
      return words.some((word) => text.includes(word.toLowerCase())) ? [name] : [];
    }),
  );
  return found.flat();
}

/** Texts that occur nowhere else. */
function personal() {
  const word = randomUUID().replaceAll('-', '');
  return {
    word,
    fields: {
      message: `Mine: ${word}`,
      email: `Ada.${word}@example.com`,
      pageUrl: `https://a.example/${word}`,
      locale: 'en-GB',
      origin: `https://${word}.example`,
      ipHash: createHash('sha256').update(word).digest('base64url'),
    },
  };
}

const erased = { message: '', email: null, pageUrl: null, locale: null, origin: null, erasedAt: expect.any(String) };

describe('once an item is deleted', () => {
  test('no collection holds what was submitted, recorded answers included, and no later answer shows it', async () => {
    const { word, fields } = personal();
    const sent = submission(fields);
    const { organizationId, itemId: id } = sent;
    await feedback.ingest([sent]);
    const setStatus = () => feedback.call('feedback.update', { id, status: 'triaged' }, organizationId, `rest ${word}`);
    const setByAgent = () =>
      feedback.call('feedback.updateStatus', { feedbackId: id, status: 'resolved' }, organizationId, `tool ${word}`);
    const first: FeedbackItem = await setStatus();
    const firstOfAgent = await setByAgent();
    expect(first).toMatchObject({ message: fields.message, status: 'triaged' });
    // As the first time.
    expect(await setStatus()).toEqual(first);
    expect(await setByAgent()).toEqual(firstOfAgent);
    const workItemId = uuidv7();
    await feedback.call('feedback.linkItem', { feedbackId: id, workItemId }, organizationId);
    const content = await ItemModel.findById(id).lean();
    expect(await collectionsWith(fields.message, fields.ipHash)).toEqual(['items']);

    const answer = { deleted: true, id };
    expect(await feedback.call('feedback.delete', { id }, organizationId)).toEqual(answer);
    // The keys of the records contain the word too.
    const traces = [
      fields.message,
      fields.email,
      fields.pageUrl,
      fields.origin,
      fields.ipHash,
      `${content?.contentHash}`,
    ];
    expect(await collectionsWith(...traces)).toEqual([]);
    expect(await feedback.redis.keys(`feedback:{${sent.sourceId}}:*`)).toEqual([]);

    const item = await feedback.call('feedback.get', { id }, organizationId);
    expect(item).toEqual({
      ...{ id, sourceId: sent.sourceId, status: 'resolved', category: 'other', ...erased },
      ...{ linkedWorkItemIds: [workItemId], createdAt: first.createdAt, updatedAt: item.erasedAt },
    });
    expect((await feedback.call('feedback.list', { search: word }, organizationId)).items).toEqual([]);
    const agents = await feedback.call('feedback.listForAgents', {}, organizationId);
    expect(JSON.stringify(agents)).not.toContain(word);
    expect(agents.items).toHaveLength(1);
    expect(await setStatus()).toEqual({ ...first, ...erased });
    expect(JSON.stringify(await setByAgent())).not.toContain(word);
    const trace = await feedback.call('feedback.byWorkItems', { workItemIds: [workItemId] }, organizationId);
    expect(trace).toMatchObject({ total: 1, feedback: [{ id, untrustedText: { message: '', email: null } }] });
    expect(await feedback.call('feedback.delete', { id }, organizationId)).toEqual(answer);
  });

  test('its submission, sent again with its key, is answered as the first time and stays erased', async () => {
    const sent = submission(personal().fields);
    const [first] = await feedback.ingest([sent]);
    await feedback.call('feedback.delete', { id: sent.itemId }, sent.organizationId);
    expect(await feedback.ingest([sent])).toEqual([{ ...first, replayed: true }]);
    expect(await feedback.call('feedback.get', { id: sent.itemId }, sent.organizationId)).toMatchObject(erased);
  });

  test('the same message may be submitted afresh', async () => {
    const sent = submission(personal().fields);
    await feedback.ingest([sent]);
    await feedback.call('feedback.delete', { id: sent.itemId }, sent.organizationId);
    expect(outcomes(await feedback.ingest([{ ...sent, itemId: uuidv7() }]))).toEqual(['stored']);
  });

  test('one of another organization is not found, and stays', async () => {
    const sent = submission(personal().fields);
    await feedback.ingest([sent]);
    expect(await codeOf(feedback.call('feedback.delete', { id: sent.itemId }, randomUUID()))).toBe('NOT_FOUND');
    const item = await feedback.call('feedback.get', { id: sent.itemId }, sent.organizationId);
    expect(item.message).toBe(sent.message);
  });
});

describe('what a sender submitted', () => {
  test('is erased by their address in any letter case, however much it is, and nothing else is', async () => {
    const { word, fields } = personal();
    const organizationId = randomUUID();
    const mine = Array.from({ length: 1_100 }, (_, i) =>
      submission({
        ...fields,
        organizationId,
        message: `Mine ${word} ${i}`,
        email: i % 2 ? fields.email : fields.email.toUpperCase(),
      }),
    );
    const others = [
      submission({ organizationId, message: 'Without an address.' }),
      submission({ organizationId, message: 'Of somebody else.', email: `x${fields.email}` }),
    ];
    const elsewhere = submission({ message: 'Elsewhere.', email: fields.email });
    for (let i = 0; i < mine.length; i += 64) await feedback.ingest(mine.slice(i, i + 64));
    await feedback.ingest([...others, elsewhere]);
    const key = uuidv7();
    const erase = () => feedback.call('feedback.erase', { email: fields.email.toLowerCase() }, organizationId, key);
    expect(await erase()).toEqual({ erased: mine.length });
    expect(await collectionsWith(`Mine ${word}`, fields.pageUrl, fields.origin)).toEqual([]);
    // The one of another organization, and the one with the longer address.
    expect(await ItemModel.countDocuments({ emailKey: emailKeyOf(fields.email) })).toBe(1);
    const { items } = await feedback.call('feedback.list', { limit: 2, search: 'of' }, organizationId);
    expect(items.map(({ message }) => message)).toEqual(['Of somebody else.']);
    // Repeated with its key it answers as the first time, with another one it finds nothing left.
    expect(await erase()).toEqual({ erased: mine.length });
    expect(await feedback.call('feedback.erase', { email: fields.email }, organizationId)).toEqual({ erased: 0 });
  });

  test('is erased even if it was stored by a version that kept no key of the address, once a new one has started', async () => {
    const { fields } = personal();
    const organizationId = randomUUID();
    // More than one batch of the migration.
    const older = Array.from({ length: 620 }, (_, i) =>
      submission({ ...fields, organizationId, message: `${fields.message} ${i}` }),
    );
    const anonymous = submission({ organizationId, message: 'Without an address.' });
    const erased = submission({ ...fields, organizationId, message: `${fields.message} and erased before` });
    for (let i = 0; i < older.length; i += 64) await feedback.ingest(older.slice(i, i + 64));
    await feedback.ingest([anonymous, erased]);
    await feedback.call('feedback.delete', { id: erased.itemId }, organizationId);
    await ItemModel.collection.updateMany({ organizationId }, { $unset: { emailKey: 1 } });
    const erase = () => feedback.call('feedback.erase', { email: fields.email }, organizationId);
    expect(await erase()).toEqual({ erased: 0 });

    const started = await migrate([foundByMigration], createLog('test', 'silent'));
    await started.stop();
    expect(await erase()).toEqual({ erased: older.length });
    expect(await collectionsWith(fields.email)).toEqual([]);
    const { items } = await feedback.call('feedback.list', { search: 'without' }, organizationId);
    expect(items.map(({ id }) => id)).toEqual([anonymous.itemId]);
    expect(await ItemModel.countDocuments({ organizationId, emailKey: mongoose.trusted({ $exists: true }) })).toBe(0);
  });
});
