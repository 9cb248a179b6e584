import { LoggedEvent, type PublishedEvent } from '@worktrack/contracts/events/event';
import type { RawInput } from '@worktrack/contracts/operation';
import type { reportProgress } from '@worktrack/contracts/work-items/agents/progress';
import { onEmitted } from '@worktrack/runtime/database/outbox/outbox.repository';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loseReplyOfCommit } from '../../../test/support/lost-reply.ts';
import { outboxOf, toldBy } from '../../../test/support/outbox.ts';
import { ItemModel } from '../items/items.model.ts';
import { settleEndedLeases } from '../leases/settle.ts';
import { claimableMigration } from '../migrations/claimable.repository.ts';
import {
  call,
  failure,
  startProject,
  startReplicas,
  startWorkItems,
  stopWorkItems,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

/** What 0.1 did not store about a lease. */
const LEASE_SINCE_0_1 = 'agent run claimedAt leaseSeconds stallsAt state userId heardRevision unsettledUntil'.split(
  ' ',
);
const told = (act: () => Promise<unknown>) => toldBy(project.caller.organizationId, act);
/** As `<type without its kind> <task>`. */
const brief = (events: readonly PublishedEvent[]) =>
  events.map(({ type, subject }) => `${type.replace('work_item.', '')} ${subject.taskId ?? subject.kind}`);
const claim = (agent = 'agent 7', ids?: string[]) =>
  call(project.caller, 'workItems.claim', { agent, ...(ids && { ids }) });
async function held(agent = 'agent 7') {
  const { workItem, lease } = await claim(agent);
  if (!workItem || !lease) throw new Error('There was nothing to claim.');
  return { workItemId: workItem.id, taskId: workItem.taskId, leaseToken: lease.token };
}
const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

describe('what is done to a work item is reported as an event', () => {
  test('with its subject, its project, its revision and who did it', async () => {
    const story = await project.create('story');
    const events = await told(() => project.update(story.id, { title: 'Another' }));
    const { organizationId, userId, keyId } = project.caller;
    const event = only(events);
    expect(event).toEqual({
      id: expect.any(String),
      organizationId,
      type: 'work_item.updated',
      at: expect.any(String),
      actor: { userId, keyId },
      projectId: project.project.id,
      subject: { kind: 'work_item', id: story.id, taskId: story.taskId },
      revision: 2,
      data: { changes: { title: { from: 'A story', to: 'Another' } }, title: 'Another' },
    });
    const { organizationId: _, ...rest } = event;
    expect(LoggedEvent.parse({ seq: 1, ...rest })).toEqual({ seq: 1, ...rest });
  });

  test('when it is created, moved, commented on, worked on, and deleted', async () => {
    const { organizationId } = project.caller;
    const story = await project.create('story');
    await project.move(story.id, 'To Do');
    await call(project.caller, 'workItems.comment', { workItemId: story.id, text: 'Hello' });
    await call(project.caller, 'workItems.recordSession', { workItemId: story.id, model: 'gpt-4o', totalTokens: 1 });
    await call(project.caller, 'workItems.delete', { id: story.id });
    const events = (await outboxOf(organizationId)).filter(({ subject }) => subject.id === story.id);
    expect(events.map(({ type, revision, data }) => [type, revision, data])).toEqual([
      ['work_item.created', 1, expect.objectContaining({ title: 'A story', columnName: 'Backlog' })],
      ['work_item.moved', 2, { fromColumn: 'Backlog', toColumn: 'To Do', title: 'A story' }],
      ['work_item.commented', 3, { text: 'Hello', title: 'A story' }],
      ['work_item.ai_session', 4, expect.objectContaining({ model: 'gpt-4o', totalTokens: 1 })],
      ['work_item.deleted', 5, { taskId: story.taskId, title: 'A story' }],
    ]);
    // One id in both, so that either can be found from the other.
    expect((await project.history(story.id)).map(({ id }) => id)).toEqual(events.map(({ id }) => id).toReversed());
  });

  test('for large values, only that they changed', async () => {
    const story = await project.create('story', { description: 'x'.repeat(40_000) });
    const event = only(await told(() => project.update(story.id, { description: 'Short', title: 'Short' })));
    expect(event.data).toEqual({
      changes: {
        title: { from: 'A story', to: 'Short' },
        description: { from: { omitted: true, bytes: 40_002 }, to: 'Short' },
      },
      title: 'Short',
    });
  });

  test('for each of 50 that are moved at once', async () => {
    const stories = await Promise.all(Array.from({ length: 50 }, () => project.create('story')));
    const events = await told(() =>
      call(project.caller, 'workItems.batchMove', { workItemIds: stories.map(({ id }) => id), boardColumnId: 'To Do' }),
    );
    expect(brief(events).sort()).toEqual(stories.map(({ taskId }) => `moved ${taskId}`).sort());
  });

  test('for each that follows, with its cause', async () => {
    const story = await project.create('story');
    const task = await project.create('task', { parentId: story.id });
    expect(brief(await told(() => project.move(task.id, 'Done')))).toEqual([
      `moved ${task.taskId}`,
      `moved ${story.taskId}`,
    ]);
  });

  test('not when it is refused, nor when nothing differs, nor a second time when it is repeated', async () => {
    const story = await project.create('story');
    const events = await told(async () => {
      await failure(project.update(story.id, { title: 'Another', version: 9 }));
      await failure(project.move(uuidv7(), 'Done'));
      await project.update(story.id, { title: 'A story' });
    });
    expect(events).toEqual([]);
  });

  test('once for each of the writes that race for it', async () => {
    const replicas = await startReplicas(2);
    try {
      const via = await startProject('Worktrack', undefined, replicas.call);
      const task = await via.create('task');
      const changes = await Promise.all(
        Array.from({ length: 20 }, (_, n) => via.update(task.id, { metadata: { [`key ${n}`]: n } })),
      );
      const events = (await outboxOf(via.caller.organizationId)).filter(({ type }) => type === 'work_item.updated');
      expect(new Set(events.map(({ revision }) => revision)).size).toBe(changes.length);
      const keys = events
        .toSorted((a, b) => a.revision - b.revision)
        .map(({ data }) => Object.keys((data.changes as { metadata: { to: object } }).metadata.to)[0]);
      const history = (await via.history(task.id)).filter(({ eventType }) => eventType === 'updated').toReversed();
      expect(keys).toEqual(
        history.map(({ data }) => Object.keys((data.changes as { metadata: { to: object } }).metadata.to)[0]),
      );
      expect(new Set(keys).size).toBe(20);
    } finally {
      await replicas.stop();
    }
  });
});

describe('leases', () => {
  test('are reported when they are given and given back, with their agent', async () => {
    const task = await project.create('task');
    const { userId, keyId } = project.caller;
    let mine = {} as Awaited<ReturnType<typeof held>>;
    const claimed = await told(async () => {
      mine = await held();
    });
    expect(brief(claimed)).toEqual(['updated', 'claimed', 'moved'].map((what) => `${what} ${task.taskId}`));
    expect(claimed[1]?.data).toEqual({ agent: 'agent 7', expiresAt: expect.any(String) });
    expect(JSON.stringify(claimed)).not.toContain(mine.leaseToken);
    const { workItemId, leaseToken } = mine;
    const released = await told(() => call(project.caller, 'workItems.release', { workItemId, leaseToken }));
    expect(brief(released)).toEqual(['updated', 'released', 'moved', 'ready'].map((what) => `${what} ${task.taskId}`));
    const run = claimed[0]?.actor?.run;
    expect(run).toBeDefined();
    for (const { actor } of [...claimed, ...released]) expect(actor).toEqual({ userId, keyId, agent: 'agent 7', run });
  });

  test('name the agent, its model and its run in the history, too, and in the session that it ends with', async () => {
    const task = await project.create('task');
    const mine = await held();
    await beatOf(mine, { model: 'claude-sonnet-4-5', totalTokens: 10, note: 'On it' });
    const { workItemId, leaseToken } = mine;
    await call(project.caller, 'workItems.comment', { workItemId, leaseToken, text: 'Half done' });
    const model = 'claude-opus-4-5';
    await call(project.caller, 'workItems.completeAiTask', { workItemId, leaseToken, model, totalTokens: 20 });
    const history = (await project.history(task.id)).filter(({ eventType }) => eventType !== 'created').toReversed();
    const { run } = history[0]?.actor ?? {};
    expect(run).toBeDefined();
    const { userId, keyId } = project.caller;
    for (const { actor } of history) expect(actor).toMatchObject({ userId, keyId, agent: 'agent 7', run });
    const models = new Map(history.map(({ eventType, actor }) => [eventType, actor.model]));
    expect([models.get('comment'), models.get('ai_session')]).toEqual(['claude-sonnet-4-5', model]);
    const session = history.find(({ eventType }) => eventType === 'ai_session');
    expect(session?.data).toMatchObject({ agent: 'agent 7', run, heartbeats: 1 });
    await project.move(task.id, 'Done');
    expect((await project.history(task.id))[0]?.actor).toEqual({ userId, keyId });
  });

  test('are reported when their state changes, and not with every beat', async () => {
    const task = await project.create('task');
    const mine = await held();
    expect(await told(() => beatOf(mine, { note: 'On it', progress: 0.4 }))).toEqual([]);
    const asked = await told(() => beatOf(mine, { state: 'awaiting_input', question: 'Why?' }));
    expect(brief(asked)).toEqual(
      ['updated', 'progress', 'commented', 'needs_attention'].map((what) => `${what} ${task.taskId}`),
    );
    expect(asked[1]?.data).toEqual({
      agent: 'agent 7',
      changes: { leaseState: { from: 'working', to: 'awaiting_input' } },
      note: 'On it',
      progress: 0.4,
    });
    expect(await told(() => beatOf(mine, { state: 'awaiting_input' }))).toEqual([]);
  });

  const expired = ({ taskId }: { readonly taskId: string }) =>
    ['lease_expired', 'needs_attention', 'ready'].map((what) => `${what} ${taskId}`);

  test('that expire are reported once by any number of replicas, and their tasks are ready', async () => {
    const tasks = [await project.create('task'), await project.create('task')];
    await held('one');
    await held('two');
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
    goForward(901);
    const events = await told(() => Promise.all([1, 2, 3].map(() => settleEndedLeases(new Date()))));
    expect(brief(events).sort()).toEqual(tasks.flatMap(expired).sort());
    for (const { actor } of events) expect(actor).toBeNull();
    const ended = events.find(({ type }) => type === 'work_item.lease_expired');
    expect(ended?.data).toEqual({
      agent: expect.stringMatching('one|two'),
      keyId: project.caller.keyId,
      expiresAt: expect.any(String),
    });
    // It stays ready, however it becomes claimable.
    expect(brief(await told(() => project.move(tasks[0]?.id as string, 'To Do')))).toEqual([
      `moved ${tasks[0]?.taskId}`,
    ]);
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
  });

  test('that expire are reported at once, also when the reply to that commit was lost', async () => {
    await project.create('task');
    await held();
    goForward(901);
    const emitted = vi.fn();
    const listening = onEmitted(emitted);
    loseReplyOfCommit();
    expect(await told(() => settleEndedLeases(new Date()))).not.toEqual([]);
    listening.stop();
    expect(emitted).toHaveBeenCalled();
  });

  test('of 0.1 are reported as well, once, however often they are looked through', async () => {
    const { organizationId } = project.caller;
    const [ended, live] = [await project.create('task'), await project.create('task')];
    await held('one');
    goForward(600);
    await held('two');
    const $unset = { treeVersion: 1, ...Object.fromEntries(LEASE_SINCE_0_1.map((field) => [`lease.${field}`, 1])) };
    for (const { id } of [ended, live]) await ItemModel.updateOne({ organizationId, _id: id }, { $unset });
    goForward(400);
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
    const lookThrough = async () => {
      for (let after: string | undefined = ''; after !== undefined; ) after = await claimableMigration.batch(after);
    };
    await lookThrough();
    const ofEnded = await told(() => settleEndedLeases(new Date()));
    expect(brief(ofEnded)).toEqual(expired(ended));
    expect(ofEnded[0]?.data).toMatchObject({ agent: 'one', keyId: project.caller.keyId });
    expect((await project.get(live.id)).lease).toMatchObject({ agent: 'two', state: 'working', stalled: false });
    await lookThrough();
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
    goForward(901);
    const ofLive = await told(() => settleEndedLeases(new Date()));
    expect(brief(ofLive)).toEqual(expired(live));
    await lookThrough();
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
  });

  test('that expire are reported by the write that ends them, if that comes sooner', async () => {
    const task = await project.create('task');
    await held('one');
    goForward(901);
    expect(brief(await told(() => held('two')))).toEqual(
      ['lease_expired', 'updated', 'claimed'].map((what) => `${what} ${task.taskId}`),
    );
    goForward(901);
    expect(brief(await told(() => project.move(task.id, 'To Do')))).toEqual(
      ['lease_expired', 'moved', 'ready'].map((what) => `${what} ${task.taskId}`),
    );
    await held('three');
    goForward(901);
    expect(brief(await told(() => call(project.caller, 'workItems.delete', { id: task.id })))).toEqual(
      ['lease_expired', 'deleted'].map((what) => `${what} ${task.taskId}`),
    );
    expect(await told(() => settleEndedLeases(new Date()))).toEqual([]);
  });
});

const beatOf = (
  { workItemId, leaseToken }: { workItemId: string; leaseToken: string },
  fields: Partial<RawInput<typeof reportProgress>>,
) => call(project.caller, 'workItems.progress', { workItemId, leaseToken, ...fields });

describe('a task is reported as ready', () => {
  const ready = async (act: () => Promise<unknown>) =>
    (await told(act)).filter(({ type }) => type === 'work_item.ready').map(({ subject }) => subject.taskId);

  test('when it is created ready, and not when it has something to wait for', async () => {
    expect(await ready(() => project.create('story'))).toEqual([]);
    const first = await project.create('task');
    expect(await ready(() => project.create('task', { metadata: { dependsOn: [first.id] } }))).toEqual([]);
    expect(await ready(() => project.create('task', { column: 'Review' }))).toEqual([]);
    expect(await ready(() => project.create('task'))).toHaveLength(1);
  });

  test('when its last dependency is met, and again after that was undone', async () => {
    const [first, second] = [await project.create('task'), await project.create('task')];
    const task = await project.create('task', { metadata: { dependsOn: [first.id, second.taskId] } });
    expect(await ready(() => project.move(first.id, 'Review'))).toEqual([]);
    expect(await ready(() => project.move(second.id, 'Done'))).toEqual([task.taskId]);
    expect(await ready(() => project.move(second.id, 'Review'))).toEqual([]);
    expect(await ready(() => project.move(second.id, 'Backlog'))).toEqual([second.taskId]);
    expect(await ready(() => project.update(task.id, { metadata: { dependsOn: [first.id] } }))).toEqual([task.taskId]);
    await project.update(task.id, { metadata: { dependsOn: [second.id] } });
    expect(await ready(() => call(project.caller, 'workItems.delete', { id: second.id }))).toEqual([task.taskId]);
  });

  test('when it is reopened, and not when it is only moved or given another priority', async () => {
    const task = await project.create('task');
    expect(await ready(() => project.move(task.id, 'To Do'))).toEqual([]);
    expect(await ready(() => project.update(task.id, { priority: 'urgent' }))).toEqual([]);
    expect(await ready(() => project.move(task.id, 'Done'))).toEqual([]);
    expect(await ready(() => project.move(task.id, 'Backlog'))).toEqual([task.taskId]);
  });

  test('when it is sent back', async () => {
    const task = await project.create('task', { column: 'Review' });
    const review = { workItemId: task.id, result: 'fail', summary: 'No' } as const;
    expect(await ready(() => call(project.caller, 'workItems.completeReview', review))).toEqual([task.taskId]);
  });

  test('when its last child goes', async () => {
    const parent = await project.create('task');
    const children = [
      await project.create('task', { parentId: parent.id }),
      await project.create('task', { parentId: parent.id }),
    ];
    expect(await ready(() => project.update(children[0]?.id as string, { parentId: null }))).toEqual([]);
    expect(await ready(() => call(project.caller, 'workItems.delete', { id: children[1]?.id as string }))).toEqual([
      parent.taskId,
    ]);
  });

  test('when one write takes away both its last child and what it waited for, as the last that is told of it', async () => {
    const aboveOne = async () => {
      const parent = await project.create('task');
      const child = await project.create('task', { parentId: parent.id });
      await project.update(parent.id, { metadata: { dependsOn: [child.id] } });
      return { parent, child };
    };
    const left = await aboveOne();
    const boardColumnId = project.column('Review');
    expect(await ready(() => project.update(left.child.id, { parentId: null, boardColumnId }))).toEqual([
      left.parent.taskId,
    ]);
    const deleted = await aboveOne();
    const events = await told(() => call(project.caller, 'workItems.delete', { id: deleted.child.id }));
    expect(brief(events.filter(({ subject }) => subject.id === deleted.parent.id))).toEqual(
      ['updated', 'ready'].map((what) => `${what} ${deleted.parent.taskId}`),
    );
    const { workItem } = await claim('agent 7', [left.parent.id]);
    expect(workItem?.id).toBe(left.parent.id);
  });

  test('when it becomes a task', async () => {
    const story = await project.create('story');
    expect(await ready(() => project.update(story.id, { type: 'task' }))).toEqual([story.taskId]);
  });

  test('when its column becomes one for pending items, by its role and not by its name', async () => {
    const { id, columns } = project.board;
    await call(project.caller, 'boards.update', {
      id,
      columns: [...columns.map(({ id, name }) => ({ id, name })), { name: 'Later' }],
    });
    const board = await call(project.caller, 'boards.get', { id });
    const later = board.columns.find(({ name }) => name === 'Later')?.id as string;
    const tasks = await Promise.all([1, 2, 3].map(() => project.create('task', { column: 'Done' })));
    for (const task of tasks)
      await call(project.caller, 'workItems.move', { workItemId: task.id, boardColumnId: later });
    const renamed = board.columns
      .filter(({ name }) => name !== 'To Do')
      .map(({ id, name, role }) => ({
        id,
        name: name === 'Later' ? 'To Do' : name,
        role: name === 'Later' ? ('todo' as const) : role,
      }));
    expect((await ready(() => call(project.caller, 'boards.update', { id, columns: renamed }))).toSorted()).toEqual(
      tasks.map(({ taskId }) => taskId).toSorted(),
    );
  });

  test('by what a write has done in the end, not by what it did first', async () => {
    const first = await project.create('task', { column: 'Review' });
    const second = await project.create('task', { column: 'Review', metadata: { dependsOn: [first.id] } });
    const workItemIds = [second.id, first.id];
    const batchMove = (boardColumnId: string) =>
      ready(() => call(project.caller, 'workItems.batchMove', { workItemIds, boardColumnId }));
    // The second one is then pending, and waits for the first.
    expect(await batchMove('Backlog')).toEqual([first.taskId]);
    expect(await batchMove('Review')).toEqual([]);
  });

  test('once, by one of two writes that meet its last dependencies at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await project.create('task'), await project.create('task')];
      const task = await project.create('task', { metadata: { dependsOn: [first.id, second.id] } });
      expect(
        await ready(() => Promise.all([project.move(first.id, 'Review'), project.move(second.id, 'Review')])),
      ).toEqual([task.taskId]);
    }
  });
});

describe('what is done to projects and boards is reported as an event', () => {
  const briefly = (events: readonly PublishedEvent[]) =>
    events.map(({ type, subject, projectId, revision, data }) => ({ type, id: subject.id, projectId, revision, data }));

  test('for a project', async () => {
    const { caller } = project;
    let made = project.project;
    const created = await told(async () => {
      made = await call(caller, 'projects.create', { name: 'Second', description: 'Of two' });
    });
    const { id, defaultBoardId } = made;
    expect(briefly(created)).toEqual([
      {
        type: 'board.created',
        id: defaultBoardId,
        projectId: id,
        revision: 1,
        data: expect.objectContaining({ name: 'Second' }),
      },
      {
        type: 'project.created',
        id,
        projectId: id,
        revision: 1,
        data: expect.objectContaining({ name: 'Second', description: 'Of two', defaultBoardId }),
      },
    ]);
    const updated = await told(() => call(caller, 'projects.update', { id, name: 'First', description: 'Of two' }));
    expect(briefly(updated)).toEqual([
      {
        type: 'project.updated',
        id,
        projectId: id,
        revision: 2,
        data: { changes: { name: { from: 'Second', to: 'First' } } },
      },
    ]);
    expect(await told(() => call(caller, 'projects.update', { id, name: 'First' }))).toEqual([]);
    const deleted = await told(() => call(caller, 'projects.delete', { id }));
    expect(deleted.map(({ type, data }) => [type, data])).toEqual([
      ['board.deleted', { name: 'Second' }],
      ['project.deleted', { name: 'First' }],
    ]);
    expect(deleted[1]?.revision).toBeGreaterThan(updated[0]?.revision as number);
    expect(await told(() => failure(call(caller, 'projects.delete', { id })))).toEqual([]);
  });

  test('for a board', async () => {
    const { caller } = project;
    const columns = [{ name: 'Backlog' }, { name: 'In Progress' }, { name: 'Done' }];
    let board = project.board;
    const created = await told(async () => {
      board = await call(caller, 'boards.create', { id: project.project.id, name: 'Second', columns });
    });
    const { id } = board;
    expect(briefly(created)).toEqual([
      {
        type: 'board.created',
        id,
        projectId: project.project.id,
        revision: 1,
        data: { name: 'Second', columns: board.columns },
      },
    ]);
    const updated = await told(async () => {
      await call(caller, 'boards.update', { id, name: 'Third' });
      await call(caller, 'boards.update', {
        id,
        columns: [{ name: 'New' }, ...board.columns.map(({ id, name }) => ({ id, name }))],
      });
      await call(caller, 'boards.update', { id, name: 'Third' });
    });
    expect(updated.map(({ type, data }) => [type, data])).toEqual([
      ['board.updated', { changes: { name: { from: 'Second', to: 'Third' } } }],
      ['board.updated', { changes: { columns: { from: board.columns, to: expect.any(Array) } } }],
    ]);
    const [first, second] = updated.map(({ revision }) => revision);
    expect(second).toBeGreaterThan(first as number);
  });

  test('for budgets, by what they apply to', async () => {
    const { caller } = project;
    const epic = await project.create('epic');
    const ofProject = only(
      await told(() => call(caller, 'projects.setBudget', { id: project.project.id, limitUsd: 5 })),
    );
    expect(ofProject).toMatchObject({
      type: 'project.updated',
      subject: { kind: 'project', id: project.project.id },
      data: { budget: { limitUsd: 5, period: 'total' } },
    });
    const ofEpic = only(
      await told(() => call(caller, 'workItems.setItemBudget', { id: epic.id, limitUsd: 3, period: 'day' })),
    );
    expect(ofEpic).toMatchObject({
      type: 'work_item.updated',
      subject: { taskId: epic.taskId },
      revision: 2,
      data: { budget: { limitUsd: 3, period: 'day' } },
    });
    const none = only(await told(() => call(caller, 'workItems.setItemBudget', { id: epic.id, limitUsd: null })));
    expect(none).toMatchObject({ revision: 3, data: { budget: null } });
  });

  test('once for each of the changes that race', async () => {
    const { caller } = project;
    const { id } = project.project;
    const events = await told(() =>
      Promise.all(Array.from({ length: 8 }, (_, n) => call(caller, 'projects.update', { id, description: `${n}` }))),
    );
    const inOrder = events.toSorted((a, b) => a.revision - b.revision);
    expect(new Set(inOrder.map(({ revision }) => revision)).size).toBe(8);
    const changes = inOrder.map(
      ({ data }) => (data.changes as { description: { from: string; to: string } }).description,
    );
    for (const [i, { from }] of changes.entries()) expect(from).toBe(changes[i - 1]?.to ?? '');
  });
});
