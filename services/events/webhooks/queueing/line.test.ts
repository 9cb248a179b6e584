import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { takeIn } from '../../log/intake.ts';
import { event } from '../../testing.ts';
import { DeliveryModel } from '../deliveries/deliveries.model.ts';
import { newCaller, startWebhooks, until, type Webhooks } from '../testing.ts';
import { WebhookModel } from '../webhooks.model.ts';

const FAILING = 20;
const HOUR_MS = 60 * 60_000;
/** The most that one organization may have. */
const WEBHOOKS = 50;
const BACKLOG_EVENTS = 200;
/** Those of the turn that may be under way when another organization comes. */
const DELIVERIES_OF_TURN = 1_000;

let webhooks: Webhooks;
let at: Endpoint;
beforeAll(async () => {
  webhooks = await startWebhooks();
  at = await Endpoint.start();
});
afterAll(async () => {
  await webhooks.stop();
  await at.stop();
});

test('an event for webhooks that are well is queued before those for webhooks of others that keep failing, however many there are', async () => {
  const organizationIds: string[] = [];
  for (let number = 0; number < FAILING; number++) {
    const caller = newCaller();
    const { id } = await webhooks.call('webhooks.create', { url: at.url }, caller);
    const [sinceMs, untilMs] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS];
    const failing = { unwell: true, failingSince: new Date(sinceMs), notBefore: new Date(untilMs) };
    await WebhookModel.updateOne({ organizationId: caller.organizationId, _id: id }, { $set: failing });
    organizationIds.push(caller.organizationId);
  }
  const caller = newCaller();
  const { id } = await webhooks.call('webhooks.create', { url: at.url }, caller);
  const all = [...organizationIds, caller.organizationId];
  // Told of at once below, not as they come.
  await takeIn(
    all.map((organizationId) => event({ organizationId })),
    () => {},
  );
  webhooks.service.wake(organizationIds);
  webhooks.service.logged(caller.organizationId, []);

  const queued = () => DeliveryModel.find({ organizationId: mongoose.trusted({ $in: all }) }).lean();
  await until(async () => expect(await queued()).toHaveLength(all.length));
  const inOrder = (await queued()).sort((one, other) => (one._id < other._id ? -1 : 1));
  const place = inOrder.findIndex(({ webhookId }) => webhookId === id);
  // Behind the one transaction that may be under way.
  expect(place).toBeLessThanOrEqual(1);
});

test('an organization with many webhooks and a long log holds up the events of others no longer than one turn takes', async () => {
  const [long, other] = [newCaller(), newCaller()];
  for (let number = 0; number < WEBHOOKS; number++) {
    // To be left alone for an hour, so that what is queued for it stays there.
    const { id } = await webhooks.call('webhooks.create', { url: at.url, enabled: false }, long);
    const left = { enabled: true, notBefore: new Date(Date.now() + HOUR_MS) };
    await WebhookModel.updateOne({ organizationId: long.organizationId, _id: id }, { $set: left });
  }
  await webhooks.call('webhooks.create', { url: at.url }, other);
  const eventsOf = (organizationId: string, count: number) =>
    Array.from({ length: count }, () => event({ organizationId }));
  await takeIn([...eventsOf(long.organizationId, BACKLOG_EVENTS), ...eventsOf(other.organizationId, 1)], () => {});
  webhooks.service.wake([long.organizationId]);
  webhooks.service.logged(other.organizationId, []);

  const made = async ({ organizationId }: typeof long) =>
    DeliveryModel.find({ organizationId }, { _id: 1 }).sort({ _id: 1 }).lean();
  await until(async () => expect(await made(other)).toHaveLength(1));
  const [its] = await made(other);
  const before = (await made(long)).filter(({ _id }) => _id < String(its?._id));
  expect(before.length).toBeLessThanOrEqual(DELIVERIES_OF_TURN);
});
