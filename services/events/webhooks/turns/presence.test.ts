import { createLog } from '@worktrack/runtime/process/logging';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhooks, until, type Webhooks } from '../testing.ts';
import { DispatcherModel } from './dispatchers.model.ts';
import { Presence } from './presence.ts';

let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(() => webhooks.stop());

test('what it may hold without knowing is given up, though a heartbeat is under way meanwhile', async () => {
  let freed = 0;
  const presence = new Presence(createLog('test', 'silent'), () => freed++);
  presence.start();
  const before = await until(() => presence.holder ?? Promise.reject(new Error('It has no heartbeat yet.')));
  const client = mongoose.connection.getClient();
  const isBeat = ({ command }: mongo.CommandStartedEvent) =>
    command.update === DispatcherModel.collection.collectionName && command.updates[0].q._id === before;
  const answered = Promise.withResolvers<void>();
  const note = (sent: mongo.CommandStartedEvent) => {
    if (!isBeat(sent)) return;
    client.off('commandStarted', note);
    presence.doubt(before);
    client.on('commandSucceeded', ({ requestId }) => requestId === sent.requestId && answered.resolve());
  };
  client.on('commandStarted', note);
  await answered.promise;
  await until(() => expect(freed).toBe(2));
  expect(presence.holder).not.toBe(before);
  await until(async () => expect(await DispatcherModel.exists({ _id: before })).toBeNull());
  await presence.stop();
});
