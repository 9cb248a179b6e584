import type { Caller } from '@worktrack/contracts/caller';
import type { EventType, PublishedEvent } from '@worktrack/contracts/events/event';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { claimWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contextOf } from '../../../test/support/handled-call.ts';
import { handlers } from '../handlers.ts';
import { call, startProject, startWorkItemsWith, stopWorkItems, type TestProject } from '../testing.ts';
import { type Listen, WaitingClaims } from './waiting-claims.ts';

beforeAll(() => startWorkItemsWith({ monitorCommands: 'true' }));
afterAll(stopWorkItems);

type Claim = Output<typeof claimWorkItem>;

/** Fed by the tests: events come from the queue, which test/agents/waiting.test.ts covers. */
let news: Parameters<Listen>[0];
let claims: ReturnType<typeof handlers>['workItems.claim'];
let project: TestProject;
beforeEach(async () => {
  const waiting = new WaitingClaims((heard) => {
    news = heard;
    heard.opened();
  });
  claims = handlers(undefined, waiting)['workItems.claim'];
  project = await startProject();
});

interface Options {
  readonly caller?: Caller;
  readonly key?: string;
}

/** A call that waits, as libs/rpc passes it on. */
function waitFor(input: Partial<Input<typeof claimWorkItem>> = {}, { caller = project.caller, key }: Options = {}) {
  const timeUp = new AbortController();
  const gone = new AbortController();
  let isThere = true;
  let whenAsked = () => {};
  const isCallerThere = async () => {
    whenAsked();
    return isThere;
  };
  const context = contextOf(caller, {
    idempotencyKey: key,
    deadlineAtMs: Date.now() + 60_000,
    waiting: { timeUp: timeUp.signal, gone: gone.signal, isCallerThere },
  });
  if (!('one' in claims)) throw new Error('A claim is called alone.');
  const given = { agent: 'agent', leaseSeconds: 60, waitSeconds: 30, ...input };
  const answer = claims.one(given, context as never).then(({ output }) => output as Claim);
  // For those that end without an answer.
  answer.catch(() => {});
  const dies = () => {
    isThere = false;
  };
  const onLook = (then: () => void) => {
    whenAsked = then;
  };
  return { answer, timeUp, gone, dies, onLook };
}

function event(type: EventType, fields: Partial<PublishedEvent> = {}): PublishedEvent {
  const { organizationId, userId, keyId } = project.caller;
  return {
    id: uuidv7(),
    organizationId,
    type,
    at: new Date().toISOString(),
    actor: { userId, keyId },
    projectId: project.project.id,
    subject: { kind: 'work_item', id: uuidv7() },
    revision: 1,
    data: {},
    ...fields,
  };
}

const HEARTBEAT = 'transaction_owners';
/** Commands sent to the database from now on. */
function commands() {
  const client = mongoose.connection.getClient();
  const seen: string[] = [];
  const note = ({ commandName, command }: mongo.CommandStartedEvent) => {
    if (command[commandName] !== HEARTBEAT) seen.push(commandName);
  };
  client.on('commandStarted', note);
  return { seen, stop: () => void client.off('commandStarted', note) };
}

/** Until everything in progress is through: until a claim by somebody else, in a project where there is nothing, is twice alone with the database. */
async function quiet(): Promise<void> {
  const { caller } = await startProject();
  const during = async () => {
    const { seen, stop } = commands();
    await call(caller, 'workItems.claim', { agent: 'other' });
    stop();
    return seen.join();
  };
  let before: string;
  let now = await during();
  do {
    before = now;
    now = await during();
  } while (now !== before);
}

const titleOf = async ({ answer }: { readonly answer: Promise<Claim> }) => (await answer).workItem?.title;

describe('claims that wait', () => {
  test('take what there is at once', async () => {
    await project.create('task', { title: 'there' });
    expect(await titleOf(waitFor())).toBe('there');
  });

  test('are served in order of arrival, one task each', async () => {
    const waiting = ['1', '2', '3'].map((agent) => waitFor({ agent }));
    await quiet();
    for (const title of ['a', 'b', 'c']) await project.create('task', { title });
    news.received([event('work_item.ready')]);
    expect(await Promise.all(waiting.map(titleOf))).toEqual(['a', 'b', 'c']);
    const [first] = await Promise.all(waiting.map(({ answer }) => answer));
    expect(first?.workItem?.assignee).toBe('1');
  });

  test('are served several at once when several tasks become ready, longest-waiting first', async () => {
    const waiting = Array.from({ length: 40 }, (_, n) => waitFor({ agent: `${n}` }));
    await quiet();
    for (let n = 0; n < 30; n++) await project.create('task');
    const { seen, stop } = commands();
    news.received(Array.from({ length: 30 }, () => event('work_item.ready')));
    const served = await Promise.all(waiting.slice(0, 30).map(({ answer }) => answer));
    stop();
    expect(new Set(served.map(({ workItem }) => workItem?.id)).size).toBe(30);
    // One after the other they would be thirty transactions.
    expect(seen.filter((command) => command === 'commitTransaction').length).toBeLessThan(20);
    for (const { timeUp } of waiting) timeUp.abort();
    const rest = await Promise.all(waiting.slice(30).map(({ answer }) => answer));
    expect(rest.filter(({ claimed }) => claimed)).toEqual([]);
  });

  test('ask the database nothing while nothing happens, and look once for all of them when something happens in vain', async () => {
    const waiting = Array.from({ length: 50 }, () => waitFor());
    await quiet();
    const { seen, stop } = commands();
    news.received([event('work_item.ready', { projectId: uuidv7() }), event('work_item.moved')]);
    await quiet();
    const ofOthers = seen.length;
    seen.length = 0;
    news.received(Array.from({ length: 20 }, () => event('work_item.ready')));
    await quiet();
    stop();
    const oneLook = seen.length - ofOthers;
    expect(oneLook).toBeGreaterThan(0);
    expect(oneLook).toBeLessThanOrEqual(8);
    for (const { timeUp } of waiting) timeUp.abort();
    await Promise.all(waiting.map(({ answer }) => answer));
  });

  test('for given items wake for these, by task ID or UUID, and for budgets', async () => {
    const task = await project.create('task', { column: 'Review' });
    await project.create('task', { parentId: task.id, column: 'Review' });
    const byTaskId = waitFor({ ids: [task.taskId] });
    await quiet();
    await project.move(task.id, 'Backlog');
    news.received([event('work_item.moved', { subject: { kind: 'work_item', id: task.id, taskId: task.taskId } })]);
    expect((await byTaskId.answer).workItem?.id).toBe(task.id);

    const anywhere = waitFor();
    await quiet();
    const { id } = await project.create('task');
    news.received([
      event('project.updated', { subject: { kind: 'project', id: project.project.id }, data: { budget: {} } }),
    ]);
    expect((await anywhere.answer).workItem?.id).toBe(id);
  });

  test('for given items look at nothing when something else becomes ready, however many of them wait', async () => {
    const stories = await Promise.all(Array.from({ length: 20 }, () => project.create('story')));
    const waiting: ReturnType<typeof waitFor>[] = [];
    for (const { id, taskId } of stories) {
      await project.create('task', { parentId: id, column: 'Review' });
      waiting.push(waitFor({ ids: [waiting.length % 2 === 0 ? id : taskId.toLowerCase()] }));
    }
    await quiet();
    const readyTask = async (fields: Parameters<typeof project.create>[1] = {}) => {
      const { id, taskId } = await project.create('task', fields);
      return { id, news: event('work_item.ready', { subject: { kind: 'work_item', id, taskId } }) };
    };
    const elsewhere = await readyTask();
    const { seen, stop } = commands();
    await quiet();
    const ofOthers = seen.length;
    seen.length = 0;
    news.received([elsewhere.news]);
    await quiet();
    stop();
    expect(seen.length - ofOthers).toBeLessThan(stories.length);
    const below = await Promise.all([1, 4].map((n) => readyTask({ parentId: stories[n]?.id })));
    news.received(below.map((each) => each.news));
    for (const [index, n] of [1, 4].entries()) {
      expect((await waiting[n]?.answer)?.workItem?.id).toBe(below[index]?.id);
    }
    for (const { timeUp } of waiting) timeUp.abort();
    await Promise.all(waiting.map(({ answer }) => answer));
  });

  test('look again after an interruption of what they listen to', async () => {
    const waiting = waitFor();
    await quiet();
    await project.create('task', { title: 'missed' });
    news.opened();
    expect(await titleOf(waiting)).toBe('missed');
  });

  test('look every few seconds for as long as nothing can be heard', async () => {
    claims = handlers(undefined, new WaitingClaims())['workItems.claim'];
    const waiting = waitFor();
    await quiet();
    await project.create('task', { title: 'of which nobody tells' });
    expect(await titleOf(waiting)).toBe('of which nobody tells');
  });

  test('are answered with the reason when their time is up, and so is a repeated call', async () => {
    const waiting = waitFor({}, { key: 'once' });
    await quiet();
    waiting.timeUp.abort();
    const answer = await waiting.answer;
    expect(answer).toMatchObject({ claimed: false, reason: 'There is no pending task in the project.' });
    await project.create('task');
    expect(await waitFor({}, { key: 'once' }).answer).toEqual(answer);
  });

  test('that are repeated while they wait share one place and one task', async () => {
    const [first, again] = [waitFor({}, { key: 'same' }), waitFor({}, { key: 'same' })];
    const next = waitFor();
    await quiet();
    await project.create('task', { title: 'one' });
    await project.create('task', { title: 'two' });
    news.received([event('work_item.ready')]);
    expect(await first.answer).toEqual(await again.answer);
    expect([await titleOf(first), await titleOf(next)]).toEqual(['one', 'two']);
    // And later, when the task was taken long ago.
    expect((await waitFor({}, { key: 'same' }).answer).lease).toEqual((await first.answer).lease);
  });

  test('that are repeated during the last look of the first are answered like it', async () => {
    const first = waitFor({}, { key: 'last' });
    await quiet();
    let again: ReturnType<typeof waitFor> | undefined;
    first.onLook(() => {
      again ??= waitFor({}, { key: 'last' });
    });
    first.timeUp.abort();
    const answer = await first.answer;
    expect(answer.claimed).toBe(false);
    await project.create('task');
    news.received([event('work_item.ready')]);
    expect(await again?.answer).toEqual(answer);
  });

  test('with the key of a different request are refused', async () => {
    await project.create('task');
    await waitFor({}, { key: 'used' }).answer;
    await expect(waitFor({ agent: 'another' }, { key: 'used' }).answer).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  test('get nothing if their client has gone, or their gateway has died', async () => {
    const [gone, died, there] = [waitFor(), waitFor(), waitFor()];
    await quiet();
    gone.gone.abort();
    died.dies();
    await project.create('task', { title: 'for who is there' });
    news.received([event('work_item.ready')]);
    expect(await titleOf(there)).toBe('for who is there');
    await expect(gone.answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(died.answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('end when their key is revoked or their user is changed', async () => {
    const [keyId, userId] = [uuidv7(), uuidv7()];
    const revoked = waitFor({}, { caller: { ...project.caller, keyId } });
    const changed = waitFor({}, { caller: { ...project.caller, userId } });
    const stays = waitFor();
    await quiet();
    await project.create('task', { title: 'still for somebody' });
    news.received([
      event('key.revoked', { subject: { kind: 'key', id: keyId } }),
      event('user.updated', { subject: { kind: 'user', id: userId } }),
      event('work_item.ready'),
    ]);
    expect(await revoked.answer).toMatchObject({ claimed: false, reason: expect.stringContaining('was changed') });
    expect(await changed.answer).toMatchObject({ claimed: false });
    expect(await titleOf(stays)).toBe('still for somebody');
  });

  test('end with their project', async () => {
    const { caller, project: own } = await startProject();
    const wait = () => waitFor({ projectId: own.id }, { caller }).answer;
    const answers = [wait(), wait()];
    await quiet();
    await call(caller, 'projects.delete', { id: own.id });
    const { organizationId } = caller;
    const deleted = { organizationId, projectId: own.id, subject: { kind: 'project', id: own.id } } as const;
    news.received([event('project.deleted', deleted)]);
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that cannot be waited for fail at once', async () => {
    await expect(waitFor({ ids: ['W-T-999'] }).answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(waitFor({ leaseToken: 'nonsense' }).answer).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('beyond 1,000 in an organization are refused, and others are not', async () => {
    const waiting = Array.from({ length: 1_000 }, () => waitFor());
    await quiet();
    await expect(waitFor().answer).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const other = await startProject();
    await other.create('task', { title: 'elsewhere' });
    expect(await titleOf(waitFor({}, { caller: other.caller }))).toBe('elsewhere');
    for (const { gone } of waiting) gone.abort();
    await Promise.allSettled(waiting.map(({ answer }) => answer));
    const again = waitFor();
    await project.create('task');
    news.received([event('work_item.ready')]);
    expect((await again.answer).claimed).toBe(true);
  });
});
