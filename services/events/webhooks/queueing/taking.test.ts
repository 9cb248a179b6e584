import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseReplyOfCommit, loseReplyUntilTooLate } from '../../../../test/support/lost-reply.ts';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';
import { WebhookModel } from '../webhooks.model.ts';

let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(() => webhooks.stop());

const COLLECTIONS = ['webhooks', 'deliveries'];
const ENDPOINTS = 4;

test('what is queued for idle endpoints is sent without looking for them or reading what is queued, each time', async () => {
  const caller = newCaller();
  const { organizationId } = caller;
  const ends = await Promise.all(Array.from({ length: ENDPOINTS }, () => Endpoint.start()));
  for (const { url } of ends) await webhooks.call('webhooks.create', { url }, caller);
  const client = mongoose.connection.getClient();
  for (let events = 1; events <= 3; events++) {
    const reads: string[] = [];
    const note = ({ command }: mongo.CommandStartedEvent) => {
      const collection = command.find ?? command.aggregate;
      // Other organizations are looked at by the clock.
      if (COLLECTIONS.includes(collection) && JSON.stringify(command).includes(organizationId)) reads.push(collection);
    };
    client.on('commandStarted', note);
    await webhooks.append(caller, [{}]);
    await until(() => {
      for (const { received } of ends) expect(received).toHaveLength(events);
    });
    client.off('commandStarted', note);
    // Who is enabled, and nothing of what is queued.
    expect(new Set(reads)).toEqual(new Set(['webhooks']));
    await until(async () =>
      expect(await WebhookModel.find({ organizationId, holder: null, dueAt: null }).lean()).toHaveLength(ENDPOINTS),
    );
  }
  for (const end of ends) await end.stop();
});

test('an endpoint is sent what was queued for it, though the reply to the commit that took it was lost and all was run again', async () => {
  const caller = newCaller();
  const end = await Endpoint.start();
  await webhooks.call('webhooks.create', { url: end.url }, caller);
  loseReplyOfCommit();
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(1));
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(2));
  await end.stop();
});

test('the same when it is too late to run it again, as while the database starts', async () => {
  const caller = newCaller();
  const end = await Endpoint.start();
  await webhooks.call('webhooks.create', { url: end.url }, caller);
  loseReplyUntilTooLate();
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(1));
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(2));
  await end.stop();
});
