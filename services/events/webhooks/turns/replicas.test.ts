import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';

let webhooks: Webhooks;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.stop();
});
afterAll(() => webhooks.stop());

async function endpoint(...answer: Parameters<typeof Endpoint.start>): Promise<Endpoint> {
  const started = await Endpoint.start(...answer);
  endpoints.push(started);
  return started;
}

test('several replicas send each event once, in the order of its subject', async () => {
  const others = [webhooks.replica(), webhooks.replica()];
  const caller = newCaller();
  const ends = await Promise.all(Array.from({ length: 4 }, () => endpoint()));
  for (const { url } of ends) await webhooks.call('webhooks.create', { url }, caller);
  const subjects = Array.from({ length: 5 }, () => uuidv7());
  for (let batch = 0; batch < 5; batch++) {
    const events = Array.from({ length: 40 }, (_, index) => ({
      subject: { kind: 'work_item' as const, id: subjects[index % 5] ?? '' },
    }));
    await webhooks.append(caller, events);
    // All of them continue from the same place.
    for (const { service } of [webhooks, ...others]) service.wake([caller.organizationId]);
  }
  await until(() => {
    for (const { received } of ends) expect(received.length).toBeGreaterThanOrEqual(200);
  });
  for (const { seqs, received } of ends) {
    expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    for (const subject of subjects) {
      const own = received.flatMap(({ event }) => (event.subject.id === subject ? [event.seq] : []));
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  }
  for (const other of others) await other.stop();
});

test('two that continue from the same place queue nothing twice', async () => {
  const caller = newCaller();
  const at = await endpoint();
  const other = webhooks.replica();
  const { id } = await webhooks.call('webhooks.create', { url: at.url, enabled: false }, caller);
  await webhooks.append(
    caller,
    Array.from({ length: 300 }, () => ({})),
  );
  await webhooks.call('webhooks.update', { id, enabled: true }, caller);
  for (let i = 0; i < 10; i++) for (const { service } of [webhooks, other]) service.wake([caller.organizationId]);
  await until(() => expect(at.received.length).toBeGreaterThanOrEqual(300), 60_000);
  await until(async () => {
    expect(await webhooks.call('webhooks.get', { id }, caller)).toMatchObject({ seq: 300 });
    const { items } = await webhooks.call('webhooks.deliveries', { id, state: 'pending' }, caller);
    expect(items).toEqual([]);
  });
  expect(at.received).toHaveLength(300);
  await other.stop();
});

test('a process that stops lets its requests finish, and another continues', async () => {
  const caller = newCaller();
  const stopping = webhooks.replica();
  let hold = true;
  const at = await endpoint(() => (response) => {
    const answer = () => (hold ? setTimeout(answer, 5) : response.end());
    answer();
  });
  await webhooks.call('webhooks.create', { url: at.url }, caller);
  await webhooks.append(
    caller,
    Array.from({ length: 50 }, () => ({})),
  );
  await until(() => expect(at.underWay).toBeGreaterThan(0));
  const stopped = stopping.stop();
  hold = false;
  await stopped;
  await until(() => expect(at.received.length).toBeGreaterThanOrEqual(50), 60_000);
  expect(at.seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
});
