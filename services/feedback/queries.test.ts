import { randomUUID } from 'node:crypto';
import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Borne, OperationPlans } from '../../test/mongodb/plan/plans.ts';
import { CallsAgain, storedOf } from '../../test/support/calls-again.ts';
import { startFeedback, submission } from './testing.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
beforeAll(async () => {
  feedback = await startFeedback();
});
afterAll(() => feedback.stop());

const BORNE: readonly Borne[] = [
  {
    operation: 'feedback.list',
    query: 'aggregate items: organizationId, searchText $regex; by createdAt descending',
    why: 'parts of words are looked for from the newest submission on, until the page is full',
  },
];

/** @returns the organization that all was done in */
async function callAll(call: typeof feedback.call): Promise<string> {
  const organizationId = randomUUID();
  const ask: typeof call = (name, input, organization = organizationId) => call(name, input, organization);
  const source = await ask('sources.create', { name: 'Example', requireCaptcha: false, retentionDays: 30 });
  await ask('sources.list', {});
  await ask('sources.get', { id: source.id });
  await ask('sources.update', { id: source.id, name: 'Another', retentionDays: 60 });
  await ask('quotas.set', { feedbackPerDay: 1_000 });
  await ask('quotas.get', {});
  await ask('sources.byPublicKey', { publicKey: source.publicKey }, '');
  const outcomes = { accepted: 1, duplicate: 0, rate: 0, quota: 0, captcha: 0, origin: 0, invalid: 2 };
  // The database deletes those of a day that is too long ago, once a minute.
  const day = new Date().toISOString().slice(0, '2026-01-01'.length);
  await ask('outcomes.record', { counts: [{ publicKey: source.publicKey, day, ...outcomes }] }, '');
  await ask('sources.outcomes', { id: source.id });
  await ask('quotas.set', { feedbackPerDay: null });
  const email = 'ada@example.com';
  const [first, second, third] = Array.from({ length: 3 }, (_, i) =>
    submission({ organizationId, sourceId: source.id, message: `Number ${i}`, email }),
  );
  if (!first || !second || !third) throw new Error('There are three.');
  for (const each of [first, second, third]) await ask('feedback.ingest', each, '');
  // From a spool, for a source that is gone.
  await ask('feedback.ingest', submission({ organizationId, acceptedAt: new Date().toISOString() }), '');

  const days = { from: '2026-01-01', to: '2036-01-01' };
  const filters = { sourceId: source.id, status: 'new', category: 'bug' } as const;
  for (const each of [
    {},
    { status: 'new' } as const,
    days,
    filters,
    { ...filters, ...days, search: 'number ボタン' },
    { search: 'number' },
  ]) {
    await ask('feedback.list', each);
  }
  const { nextCursor } = await ask('feedback.list', { limit: 1 });
  await ask('feedback.list', { limit: 1, cursor: nextCursor ?? undefined });
  await ask('feedback.listForAgents', { ...filters, search: 'number' });
  await ask('feedback.get', { id: first.itemId });
  await ask('feedback.update', { id: first.itemId, status: 'triaged' });
  await ask('feedback.updateStatus', { feedbackId: first.itemId, status: 'resolved' });
  const workItemId = uuidv7();
  const link = { feedbackId: first.itemId, workItemId };
  await ask('feedback.linkItem', link);
  await ask('feedback.linkedBefore', { idempotencyKey: uuidv7(), link });
  await ask('feedback.byWorkItems', { workItemIds: [workItemId] });
  await ask('feedback.unlinkItem', link);
  await ask('feedback.delete', { id: second.itemId });
  await ask('feedback.erase', { email });
  await ask('sources.delete', { id: source.id, erase: true });
  return organizationId;
}

/** Where all was done once. */
let once: string;

/** As services/workitems/queries.test.ts. */
test('every query of every operation is answered by an index, without a sort', async () => {
  // They need Redis and the provider of the captcha.
  const elsewhere = ['captcha.challenge', 'captcha.verify'];
  const plans = new OperationPlans(feedbackContract, { elsewhere, borne: BORNE });
  once = await callAll((name, ...rest) => plans.of(name, () => feedback.call(name, ...rest)));
  await plans.of('retention', () => feedback.retention.runIfDue(new Date()));

  expect(plans.faults).toEqual([]);
  await expect(plans.table('Feedback')).toMatchFileSnapshot('../../test/surface/plans/feedback.md');
});

test('each write takes effect once, though the reply to its commit is lost and the call comes again', async () => {
  const again = new CallsAgain(feedbackContract);
  const organization = await callAll((name, input, organizationId) =>
    again.of(name, (idempotencyKey) => feedback.call(name, input, organizationId, idempotencyKey)),
  );
  expect(await storedOf(organization)).toEqual(await storedOf(once));
});
