import { afterAll, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';

/** More than there are places for one organization. */
const SLOW = 30;

let webhooks: Webhooks;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(async () => {
  for (const endpoint of endpoints) await endpoint.stop();
  await webhooks.stop();
});

test('endpoints that take long to answer delay no other, however many of one organization they are', async () => {
  const caller = newCaller();
  let given = 0;
  const slow = await Endpoint.start(() => (response) => void response.once('close', () => given++));
  const well = await Endpoint.start();
  endpoints.push(slow, well);
  // What is queued for the newest is due first.
  await webhooks.call('webhooks.create', { url: well.url }, caller);
  for (let number = 0; number < SLOW; number++) await webhooks.call('webhooks.create', { url: slow.url }, caller);
  await webhooks.append(caller, [{}]);
  await until(() => expect(well.received).toHaveLength(1));
  await until(() => expect(slow.received).toHaveLength(SLOW));
  // All of them are still waited for.
  expect(given).toBe(0);
});
