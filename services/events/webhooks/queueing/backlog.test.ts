import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';

const TIMEOUT_MS = 600_000;

let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(() => webhooks.stop());

test('ten thousand events that piled up are sent, each once, in the order of their subjects', {
  timeout: TIMEOUT_MS,
}, async () => {
  const caller = newCaller();
  const at = await Endpoint.start();
  const { id } = await webhooks.call('webhooks.create', { url: at.url, enabled: false }, caller);
  const subjects = Array.from({ length: 100 }, () => uuidv7());
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      subject: { kind: 'work_item' as const, id: subjects[index % 100] ?? '' },
    }));
    await webhooks.append(caller, events);
  }
  const begunAt = performance.now();
  await webhooks.call('webhooks.update', { id, enabled: true }, caller);
  await until(() => expect(at.received.length).toBeGreaterThanOrEqual(10_000), TIMEOUT_MS);
  console.log(`10 000 deliveries in ${((performance.now() - begunAt) / 1000).toFixed(1)} s`);
  expect(new Set(at.seqs).size).toBe(10_000);
  for (const subject of subjects) {
    const seqs = at.received.flatMap(({ event }) => (event.subject.id === subject ? [event.seq] : []));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  }
  await at.stop();
});
