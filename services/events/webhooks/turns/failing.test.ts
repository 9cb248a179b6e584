import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { outboxOf } from '../../../../test/support/outbox.ts';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { queueDelivery } from '../deliveries/deliveries.repository.ts';
import { newCaller, startWebhooks, type TestCaller, until, type Webhooks } from '../testing.ts';
import { WebhookModel } from '../webhooks.model.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

let webhooks: Webhooks;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const endpoint of endpoints.splice(0)) await endpoint.stop();
});
afterAll(() => webhooks.stop());

/** A webhook to an endpoint that refuses, until told otherwise. */
async function refused(caller: TestCaller) {
  const at = await Endpoint.start(() => 500);
  endpoints.push(at);
  const { id } = await webhooks.call('webhooks.create', { url: at.url }, caller);
  const delivery = async () => (await webhooks.call('webhooks.deliveries', { id, limit: 1 }, caller)).items[0];
  return {
    at,
    id,
    delivery,
    webhook: () => webhooks.call('webhooks.get', { id }, caller),
    /** Until this many attempts of the newest delivery are recorded. */
    attempted: (attempts: number) => until(async () => expect(await delivery()).toMatchObject({ attempts })),
    goForward(ms: number) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      webhooks.service.wake([caller.organizationId]);
    },
  };
}

const MINUTES = [5 / 60, 5, 30, 2 * 60, 5 * 60, 10 * 60, 14 * 60, 20 * 60, 24 * 60];

test('a failed event is sent again on schedule, and given up after the tenth attempt', async () => {
  const caller = newCaller();
  const { at, delivery, attempted, goForward, webhook } = await refused(caller);
  await webhooks.append(caller, [{}]);
  for (const [index, minutes] of MINUTES.entries()) {
    await attempted(index + 1);
    const now = await delivery();
    expect(now?.state).toBe('pending');
    const attemptedAt = Date.parse(now?.attemptedAt ?? '');
    const pauseMs = Date.parse(now?.nextAttemptAt ?? '') - attemptedAt;
    expect(pauseMs).toBeGreaterThanOrEqual(minutes * 60_000);
    // A tenth at random, and what an attempt takes.
    expect(pauseMs).toBeLessThan(minutes * 66_000 + 30_000);
    goForward(attemptedAt + pauseMs + 1 - Date.now());
  }
  await attempted(MINUTES.length + 1);
  expect(await delivery()).toMatchObject({ state: 'failed', nextAttemptAt: null, status: 500 });
  expect(at.received.map(({ headers }) => headers['webhook-attempt'])).toEqual(
    Array.from({ length: 10 }, (_, index) => `${index + 1}`),
  );
  // It is failing, but was not disabled: five days have not passed.
  expect(await webhook()).toMatchObject({ state: 'failing' });
});

test('five days of nothing but failures disable it, and the log says why', async () => {
  const caller = newCaller();
  const { id, attempted, goForward, webhook } = await refused(caller);
  await webhooks.append(caller, [{}]);
  await attempted(1);
  goForward(5 * DAY_MS - HOUR_MS);
  await attempted(2);
  expect(await webhook()).toMatchObject({ state: 'failing' });
  goForward(HOUR_MS);
  await attempted(3);
  await until(async () => expect(await webhook()).toMatchObject({ state: 'disabled', disabledReason: 'failing' }));
  const told = (await outboxOf(caller.organizationId)).filter(({ type }) => type === 'webhook.disabled');
  expect(told).toMatchObject([{ subject: { kind: 'webhook', id }, actor: null, data: { reason: 'failing' } }]);
});

test('one success restarts the five days', async () => {
  const caller = newCaller();
  const { at, attempted, goForward, webhook } = await refused(caller);
  await webhooks.append(caller, [{}]);
  await attempted(1);
  goForward(4 * DAY_MS);
  await attempted(2);
  at.answers(() => 200);
  goForward(HOUR_MS);
  await attempted(3);
  await until(async () => expect(await webhook()).toMatchObject({ state: 'active', failingSince: null }));
  at.answers(() => 500);
  await webhooks.append(caller, [{}]);
  await attempted(1);
  goForward(4 * DAY_MS);
  await attempted(2);
  await until(async () => expect(await webhook()).toMatchObject({ state: 'failing' }));
});

test('what was queued behind an event that is being retried follows it in order, and an endpoint that failed for long misses nothing', async () => {
  const caller = newCaller();
  const { at, attempted, goForward, webhook } = await refused(caller);
  const subject = { kind: 'work_item' as const, id: uuidv7() };
  await webhooks.append(caller, [{ subject }]);
  await attempted(1);
  await webhooks.append(caller, [{ subject }]);
  await until(async () => expect(await webhook()).toMatchObject({ seq: 2 }));
  goForward(HOUR_MS);
  await until(() => expect(at.received.length).toBeGreaterThanOrEqual(2));
  await webhooks.append(caller, [{ subject }, {}]);
  at.answers(() => 200);
  goForward(DAY_MS);
  await until(() => expect(new Set(at.seqs)).toEqual(new Set([1, 2, 3, 4])));
  await until(async () => expect(await webhook()).toMatchObject({ state: 'active', seq: 4 }));
});

test('for an endpoint that keeps failing no more is queued than it may soon be sent, and all of it arrives once it answers', async () => {
  const caller = newCaller();
  const { at, id, attempted, goForward, webhook } = await refused(caller);
  await webhooks.append(caller, [{}]);
  await attempted(1);
  goForward(HOUR_MS);
  await until(() => expect(at.received).toHaveLength(2));
  const subject = { kind: 'work_item' as const, id: uuidv7() };
  await webhooks.append(
    caller,
    Array.from({ length: 150 }, (_, index) => (index % 4 === 0 ? { subject } : {})),
  );
  webhooks.service.wake([caller.organizationId]);
  await until(async () => expect(await webhook()).toMatchObject({ seq: 21 }));
  // Once each of these has been tried, the next are queued.
  for (let attempts = 2; (await webhook()).seq === 21; attempts = at.received.length) {
    expect(attempts).toBeLessThan(300);
    goForward(31_000);
    await until(() => expect(at.received.length).toBeGreaterThan(attempts));
  }
  expect(new Set(at.seqs).size).toBeGreaterThan(15);
  expect(await webhook()).toMatchObject({ seq: 41, state: 'failing' });
  const { items } = await webhooks.call('webhooks.deliveries', { id, limit: 100 }, caller);
  expect(items).toHaveLength(41);

  at.answers(() => 200);
  goForward(DAY_MS);
  await until(() => expect(new Set(at.seqs).size).toBe(151));
  await until(async () => expect(await webhook()).toMatchObject({ state: 'active', seq: 151 }));
});

test('an endpoint that keeps failing gets all of a replay, though what comes last in it was queued before', async () => {
  const caller = newCaller();
  const { organizationId } = caller;
  const at = await Endpoint.start();
  endpoints.push(at);
  const { id } = await webhooks.call('webhooks.create', { url: at.url, enabled: false }, caller);
  const logged = await webhooks.append(caller, [{}, {}, {}]);
  const last = logged.at(-1) as (typeof logged)[0];
  await commitAlone(async ({ writes }) => queueDelivery({ caller, writes }, id, last));
  const failing = { enabled: true, unwell: true, failingSince: new Date(Date.now() - HOUR_MS) };
  await WebhookModel.updateOne({ organizationId, _id: id }, { $set: { ...failing, dueAt: new Date() } });
  await webhooks.call('webhooks.replay', { id, after: 0 }, caller);
  // What is queued last is no reason to send nothing: everything before it is still to be queued.
  await until(() => {
    webhooks.service.wake([organizationId]);
    expect(new Set(at.seqs)).toEqual(new Set([1, 2, 3]));
  });
});
