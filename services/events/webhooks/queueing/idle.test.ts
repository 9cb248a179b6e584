import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { takeIn } from '../../log/intake.ts';
import { HeadModel } from '../../log/log.model.ts';
import { event } from '../../testing.ts';
import { type WebhookDocument, WebhookModel } from '../webhooks.model.ts';
import { dueWebhooks, holders, nextDueAt } from '../webhooks.repository.ts';
import { measureBacklog } from './backlog.ts';
import { organizationsBehind } from './behind.ts';

/** The most that one organization may have. */
const WEBHOOKS = 50;
const HEAD = 7;

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  const url = new URL(mongodbUrl);
  url.searchParams.set('monitorCommands', 'true');
  await connectDatabase({ url: url.href, database: `${databasePrefix}_events`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

/** Organizations whose webhooks have everything that is in their logs. */
async function idleOrganizations(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  const now = new Date();
  await HeadModel.insertMany(ids.map((_id) => ({ _id, seq: HEAD, loggedAt: now })));
  const webhook = (organizationId: string): WebhookDocument => ({
    ...{ _id: uuidv7(), organizationId, url: 'https://example.com/', types: ['*'], projectId: null, description: '' },
    ...{ enabled: true, disabledReason: null, maker: { userId: uuidv7(), keyId: uuidv7() } },
    ...{ permissions: ['work-items:read'], secrets: [], revision: 1, createdAt: now, updatedAt: now, cursor: HEAD },
    ...{ failingSince: null, dueAt: null, notBefore: null, wakes: 0, unwell: false, holder: null },
  });
  await WebhookModel.insertMany(
    ids.flatMap((id) => Array.from({ length: WEBHOOKS }, () => webhook(id))),
    { lean: true },
  );
  return ids;
}

/** What the database is asked, and how many documents it gives, but for the heartbeat of the process. */
async function costOf(work: () => Promise<unknown>) {
  const client = mongoose.connection.getClient();
  let commands = 0;
  let documents = 0;
  const note = ({ commandName, reply }: mongo.CommandSucceededEvent) => {
    const { cursor, values } = reply as { cursor?: { ns: string; firstBatch?: []; nextBatch?: [] }; values?: [] };
    if (cursor?.ns.endsWith('.transaction_owners') || /^(update|delete)$/.test(commandName)) return;
    commands++;
    documents += cursor?.firstBatch?.length ?? cursor?.nextBatch?.length ?? values?.length ?? 0;
  };
  client.on('commandSucceeded', note);
  await work();
  client.off('commandSucceeded', note);
  return { commands, documents };
}

/** All that a replica asks by the clock. */
async function lookRound(): Promise<string[]> {
  const behind = await organizationsBehind();
  await measureBacklog();
  for (const unwell of [true, false]) await dueWebhooks({ unwell, now: new Date(), limit: 10, notOf: [] });
  await nextDueAt();
  await holders();
  return behind;
}

test('what a replica looks up by the clock does not grow with the number of webhooks that are idle', async () => {
  const [organizationId = ''] = await idleOrganizations(10);
  // The first look after an upgrade, or after events, finds that all of them are idle.
  await lookRound();
  const few = await costOf(lookRound);
  await idleOrganizations(40);
  await lookRound();
  expect(await costOf(lookRound)).toEqual(few);
  expect(few.documents).toBe(0);
  // One that another replica has put into the log, and did not live to queue: its log alone is looked at, for as long as it takes.
  await takeIn([event({ organizationId })], () => {});
  let behind: string[] = [];
  const one = await costOf(async () => {
    behind = await lookRound();
  });
  expect(behind).toEqual([organizationId]);
  expect(one.documents).toBe(1 + WEBHOOKS);
  expect(await lookRound()).toEqual([organizationId]);
});
