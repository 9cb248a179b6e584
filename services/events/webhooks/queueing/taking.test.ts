import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
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
  loseReplyToCommit();
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(1));
  await webhooks.append(caller, [{}]);
  await until(() => expect(end.received).toHaveLength(2));
  await end.stop();
});

test('endpoints that were taken by a commit whose reply was lost are sent to all the same', async () => {
  const caller = newCaller();
  const { organizationId } = caller;
  const ends = await Promise.all(Array.from({ length: ENDPOINTS }, () => Endpoint.start()));
  for (const { url } of ends) await webhooks.call('webhooks.create', { url }, caller);
  // All at once, so that they are taken together.
  await WebhookModel.updateMany({ organizationId }, { $set: { dueAt: new Date() }, $inc: { wakes: 1 } });
  loseReplyToCommit();
  webhooks.service.wake([]);
  await until(async () =>
    expect(await WebhookModel.find({ organizationId, holder: null, dueAt: null }).lean()).toHaveLength(ENDPOINTS),
  );
  await webhooks.append(caller, [{}]);
  await until(() => {
    for (const { received } of ends) expect(received).toHaveLength(1);
  });
  for (const end of ends) await end.stop();
});

/** Of the next one. The driver's work is run again. */
function loseReplyToCommit(): void {
  const { ClientSession, MongoError, MongoErrorLabel } = mongoose.mongo;
  const lostOnce = vi.spyOn(ClientSession.prototype, 'commitTransaction').mockImplementationOnce(async function (
    this: mongo.ClientSession,
  ) {
    // Called as it is from here on.
    await this.commitTransaction();
    const error = new MongoError('The connection was closed.');
    error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
    throw error;
  });
  onTestFinished(() => void lostOnce.mockRestore());
}
