import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { transaction } from '../transaction.ts';
import type { Order } from './transaction-holder.ts';

/** On its own, the server would end the other's transaction after a minute. It takes some five seconds; a machine may be slow. */
const DEADLINE_MS = 25_000;
/** Longer than it takes to notice a process that has fallen silent. */
const PATIENCE_MS = 10_000;
const THREE_BEATS_MS = 3_000;

const counters = () => mongoose.connection.collection<{ _id: string; count: number }>('counters');
let proxy: TestProxy;
let holder: ChildProcess;
const tell = (order: Order) => holder.send(order);
let database: { readonly url: string; readonly database: string };

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  database = { url: mongodbUrl, database: `${databasePrefix}_owners` };
  await connectDatabase({ ...database, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

beforeEach(async () => {
  await counters().updateOne({ _id: 'held' }, { $set: { count: 0 } }, { upsert: true });
  proxy = await TestProxy.to(database.url);
  holder = fork(new URL('transaction-holder.ts', import.meta.url), [proxy.url, database.database]);
  await once(holder, 'message');
});
afterEach(async () => {
  holder.kill('SIGKILL');
  await proxy.close();
});

const writeWhatIsHeld = (patienceMs = DEADLINE_MS) =>
  transaction(Date.now() + patienceMs, async (session) => {
    await counters().updateOne({ _id: 'held' }, { $inc: { count: 10 } }, { session });
  });
const count = async () => (await counters().findOne({ _id: 'held' }))?.count;

describe('what a transaction wrote is free again long before the server itself would free it', () => {
  test('when its process is killed', async () => {
    holder.kill('SIGKILL');
    await writeWhatIsHeld();
    expect(await count()).toBe(10);
  });

  test('when its process is stopped; it runs again once that resumes', async () => {
    holder.kill('SIGSTOP');
    await writeWhatIsHeld();
    expect(await count()).toBe(10);
    const messages: { readonly runs?: number }[] = [];
    holder.on('message', (message: { readonly runs?: number }) => messages.push(message));
    holder.kill('SIGCONT');
    tell('commit');
    await once(holder, 'exit');
    expect(messages.at(-1)?.runs).toBe(2);
    expect(await count()).toBe(11);
  });
});

test('a transaction whose abort did not reach the server is ended once it can be reached', async () => {
  proxy.hold();
  const underWay = once(holder, 'message');
  tell('write again');
  expect(await underWay).toEqual([{ isUnderWay: true }, undefined]);
  // The driver now discards the session. With another transaction of it the server would have ended the first.
  const failed = once(holder, 'message');
  proxy.cut({ stayDown: true });
  expect(await failed).toEqual([{ failed: true }, undefined]);
  proxy.restore();
  await writeWhatIsHeld();
  expect(await count()).toBe(10);
  expect(holder.exitCode).toBeNull();
});

test('a process that keeps beating keeps its transaction, however long it takes', async () => {
  await expect(writeWhatIsHeld(PATIENCE_MS)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const told = once(holder, 'message');
  tell('commit');
  expect(await told).toEqual([{ runs: 1 }, undefined]);
  expect(await count()).toBe(1);
});

test('a heartbeat on a silent connection holds up no transaction, nor takes its session back when it arrives late', async () => {
  const arrive = await proxy.silence('sessions');
  const told = once(holder, 'message') as Promise<[{ readonly beside: string }]>;
  // With a session that is new, and so has to be recorded by a heartbeat after the one that gets no answer.
  tell('write beside');
  const [{ beside }] = await told;
  const owners = () => mongoose.connection.collection('transaction_owners').countDocuments({ sessions: beside });
  await expect.poll(owners).toBe(1);
  await arrive();
  expect(await owners()).toBe(1);
  tell('commit');
  await once(holder, 'exit');
});

test('the session of a transaction that was refused is not ended: others may be using it by then', async () => {
  const failed = once(holder, 'message');
  tell('refuse');
  expect(await failed).toEqual([{ failed: true }, undefined]);
  await writeWhatIsHeld(1_000);
  expect(await count()).toBe(10);
  const ended = proxy.silence('killSessions').then(() => 'ended');
  expect(await Promise.race([ended, delay(THREE_BEATS_MS, 'not ended')])).toBe('not ended');
});

test('a transaction whose session is ended by others in the middle of a statement runs again', async () => {
  let runs = 0;
  await transaction(Date.now() + DEADLINE_MS, async () => {
    // As MongoDB answers it, without a label that would make the driver run it again.
    if (++runs === 1) throw new mongoose.mongo.MongoServerError({ message: 'operation was interrupted', code: 11601 });
  });
  expect(runs).toBe(2);
});

test('a process is an owner from its first transaction until it stops, or opens none for a while', async () => {
  const owners = () => mongoose.connection.collection('transaction_owners').countDocuments();
  const write = () =>
    transaction(Date.now() + DEADLINE_MS, async (session) => {
      await counters().updateOne({ _id: 'quiet' }, { $inc: { count: 1 } }, { upsert: true, session });
    });
  await write();
  expect(await owners()).toBe(2);
  // The holder's transaction is open all the while.
  await expect.poll(owners, { timeout: DEADLINE_MS }).toBe(1);
  await write();
  expect(await owners()).toBe(2);
  tell('commit');
  await once(holder, 'exit');
  expect(await owners()).toBe(1);
});
