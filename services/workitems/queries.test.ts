import { NEED_KINDS } from '@worktrack/contracts/work-items/attention';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { GROUPINGS } from '@worktrack/contracts/work-items/lists/cards';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Borne, OperationPlans } from '../../test/mongodb/plan/plans.ts';
import { CallsAgain, storedOf } from '../../test/support/calls-again.ts';
import { ItemModel } from './items/items.model.ts';
import { type CallService, call, startProject, startWorkItems, stopWorkItems } from './testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

/** Attachments move bytes and are tested elsewhere. */
const WITH_BYTES = ['attachments.add', 'attachments.addedBefore', 'attachments.read'];

const OVER_ALL_PROJECTS =
  'over all projects, what only an index within projects has is looked for from the newest item on, until the page is full';

const BORNE: readonly Borne[] = [
  {
    operation: 'workItems.list',
    query: 'aggregate work_items: organizationId, type; by _id descending; limited',
    why: OVER_ALL_PROJECTS,
  },
  {
    operation: 'workItems.list',
    query:
      'aggregate work_items: organizationId, labels, dueDate $lt $gt, boardColumnId $nin; by _id descending; limited',
    why: OVER_ALL_PROJECTS,
  },
  {
    operation: 'workItems.list',
    query: 'aggregate work_items: organizationId, externalId $exists; by _id descending; limited',
    why: 'one item of a project has it at most: those few are found by it, and sorted',
  },
  {
    operation: 'workItems.list',
    query: 'aggregate work_items: organizationId, projectId; then sorted by sortKey0',
    why: 'a list in an order of the caller’s choice is sorted, if it has at most 10,000 items; of more than that an index is walked, or the call refused',
  },
  {
    operation: 'workItems.ideationContext',
    query: 'aggregate work_item_search:',
    why: 'ranks all items that have one of the keywords',
  },
  {
    operation: 'workItems.ideationContext',
    query: 'aggregate work_items: organizationId, type $in;',
    why: 'without a project, epics and features are looked for among all items',
  },
  {
    operation: 'workItems.list',
    query: 'aggregate work_item_search:',
    why: 'a search in a column, whose order only the items have, sorts at most 5,000 matches; of more than that the column is walked',
  },
  {
    operation: 'boards.open',
    query: 'aggregate work_item_search:',
    why: 'as in a list: a search in a column sorts at most 5,000 matches',
  },
];

/** @returns the organization that all was done in */
async function callAll(ask: CallService): Promise<string> {
  const { caller, project, board, column, create } = await startProject(undefined, undefined, ask);
  const { id } = project;
  await ask(caller, 'projects.list', {});
  await ask(caller, 'projects.names', {});
  await ask(caller, 'projects.get', { id });
  await ask(caller, 'projects.update', { id, name: 'New', defaultBoardId: board.id });
  await ask(caller, 'boards.list', { id });
  const label = await ask(caller, 'labels.create', { id, name: 'Urgent fix', colour: '#c00000' });
  await ask(caller, 'labels.update', { id, labelId: label.id, colour: '#d00000' });
  await ask(caller, 'labels.list', { id });
  const spare = await ask(caller, 'labels.create', { id, name: 'Spare', colour: '#c00000' });
  await ask(caller, 'labels.delete', { id, labelId: spare.id });
  const view = await ask(caller, 'views.create', { name: 'Mine', projectId: id });
  await ask(caller, 'views.list', { projectId: id });
  await ask({ ...caller, projects: [id] }, 'views.list', {});
  await ask(caller, 'views.list', {});
  await ask(caller, 'views.update', { id: view.id, shared: true });
  await ask(caller, 'views.delete', { id: view.id });
  const other = await ask(caller, 'boards.create', { id, name: 'Second' });
  await ask(caller, 'boards.delete', { id: other.id });
  await ask(caller, 'boards.create', { id, name: 'Second' });
  const columns = board.columns.map(({ id: columnId, name }) => ({ id: columnId, name }));
  await ask(caller, 'boards.update', { id: board.id, columns: columns.filter(({ name }) => name !== 'Validating') });

  const epic = await ask(caller, 'workItems.createEpic', { title: 'Epic' });
  const feature = await ask(caller, 'workItems.createFeature', { title: 'Feature', parentId: epic.id });
  const story = await ask(caller, 'workItems.createStory', { title: 'Story', parentId: feature.taskId });
  const task = await ask(caller, 'workItems.createTask', { title: 'Task', parentId: story.id });
  const third = await create('task', { column: 'In Progress' });
  const second = await create('task', { parentId: task.id, metadata: { dependsOn: [third.taskId] } });
  const idea = await create('idea', { title: 'Idea' });

  const filters = { assignee: 'ada', type: 'task', priority: 'low' } as const;
  const places = [{ boardId: board.id }, { boardColumnId: column('Backlog') }, { parentId: epic.taskId }, {}];
  for (const place of places) {
    await ask(caller, 'workItems.list', place);
    await ask(caller, 'workItems.list', { ...place, ...filters });
    await ask(caller, 'workItems.list', { ...place, ...filters, search: 'story W-T-1' });
    await ask(caller, 'workItems.list', { ...place, search: task.taskId });
  }
  await ask(caller, 'workItems.modelPrices', {});
  await create('task', { labels: ['urgent fix'], dueDate: '2020-02-29', estimate: 3 });
  for (const place of places) {
    await ask(caller, 'workItems.list', { ...place, label: 'Urgent fix' });
    await ask(caller, 'workItems.list', { ...place, overdue: true });
    await ask(caller, 'workItems.list', { ...place, overdue: false });
    await ask(caller, 'workItems.list', { ...place, dueAfter: '2020-01-01', dueBefore: '2021-01-01' });
  }
  for (const sort of ['priority', '-updatedAt', 'priority,-updatedAt,createdAt', 'dueDate', '-estimate', 'title']) {
    await ask(caller, 'workItems.list', { sort });
    await ask(caller, 'workItems.list', { sort, search: 'story', updatedAfter: '2020-01-01' });
  }
  await ask(caller, 'workItems.list', { type: ['task', 'story'], createdAfter: '2020-01-01' });
  await ask(caller, 'workItems.list', { boardColumnId: [column('Backlog'), column('Done')] });
  const { id: boardId } = board;
  await ask(caller, 'boards.cards', { id: boardId, ...filters });
  await ask(caller, 'boards.cards', { id: boardId, boardColumnId: column('Backlog') });
  await ask(caller, 'boards.cards', { id: boardId, ids: [second.id, task.taskId] });
  for (const groupBy of GROUPINGS) await ask(caller, 'projects.groups', { id, groupBy, type: 'task' });
  await ask(caller, 'projects.groups', { id, groupBy: 'priority', search: 'story' });
  const groups = [
    { groupBy: 'column', group: column('Backlog') },
    { groupBy: 'epic', group: epic.id },
    { groupBy: 'label', group: 'none' },
    { groupBy: 'agentState', group: 'working' },
  ] as const;
  for (const group of groups) await ask(caller, 'projects.cards', { id, ...group });
  await ask(caller, 'projects.cards', { id, ids: [task.id] });
  for (const place of places) await ask(caller, 'workItems.list', { ...place, epic: [epic.taskId] });
  await ask(caller, 'workItems.list', { epic: ['none', epic.id], assignee: 'none', leaseState: 'none' });
  await ask(caller, 'workItems.list', {
    epicNot: 'none',
    typeNot: ['task'],
    boardColumnIdNot: column('Done'),
    labelNot: 'none',
  });
  await ask(caller, 'boards.open', { projectId: board.projectId });
  await ask(caller, 'boards.open', { boardId, ...filters });
  await ask(caller, 'boards.open', { boardId, ...filters, search: 'story' });
  await ask(caller, 'boards.open', { boardId, assignee: 'ada' });
  await ask(caller, 'boards.open', { boardId, epic: epic.id });
  for (const leaseState of ['working', 'awaiting_input', 'stalled'] as const) {
    for (const place of places) await ask(caller, 'workItems.list', { ...place, leaseState });
  }
  await create('task', { externalId: 'build 17' });
  await ask(caller, 'workItems.list', { externalId: 'build 17' });
  const { sessionProjectId: _, ...roaming } = caller;
  await ask(roaming, 'workItems.list', { externalId: 'build 17' });
  await ask(roaming, 'workItems.list', { leaseState: 'stalled' });
  await ask(roaming, 'workItems.list', { overdue: true, label: 'Urgent fix' });
  await ask(roaming, 'workItems.list', {});
  await ask(roaming, 'workItems.list', { type: 'task' });
  await ask(roaming, 'workItems.createEpic', { title: 'Another' });
  await ask(caller, 'workItems.get', { id: task.taskId });
  await ask(caller, 'workItems.resolve', { ids: [epic.id, third.taskId, 'nothing'] });
  await ask(caller, 'workItems.events', { workItemId: task.taskId, eventType: 'moved' });
  await ask(caller, 'workItems.update', { id: task.id, title: 'The task' });
  await ask(caller, 'workItems.update', { id: task.id, title: 'Task' });
  for (const eventType of [undefined, 'updated'] as const) {
    const newest = { workItemId: task.id, eventType, limit: 1 };
    const { nextCursor } = await ask(caller, 'workItems.events', newest);
    if (nextCursor) await ask(caller, 'workItems.events', { ...newest, cursor: nextCursor });
  }
  await ask(caller, 'workItems.update', { id: third.id, title: 'New', parentId: second.id, metadata: { a: 1 } });
  // With an item below it.
  await ask(caller, 'workItems.update', { id: second.id, parentId: story.id });
  await ask(caller, 'workItems.update', { id: second.id, parentId: task.id });
  await ask(caller, 'workItems.update', { id: third.id, type: 'story', parentId: null });
  const [after, waiting] = [await create('story'), await create('story')];
  await create('task', { parentId: after.id });
  for (let times = 0; times < 2; times++) await create('task', { parentId: waiting.id, dependsOn: [second.id] });
  for (const others of [[after.id], []]) {
    await ask(caller, 'workItems.update', { id: second.id, dependsOn: [third.taskId, ...others] });
  }
  await ask(caller, 'workItems.update', { id: third.id, type: 'task', assignee: 'ada' });
  const toDo = { boardColumnId: column('To Do') };
  for (const position of ['first', 'last', { after: second.id }] as const) {
    await ask(caller, 'workItems.move', { workItemId: second.id, ...toDo });
    await ask(caller, 'workItems.move', { workItemId: third.id, ...toDo, position });
  }
  await ask(caller, 'workItems.move', { workItemId: second.id, boardColumnId: column('Done') });
  await ask(caller, 'workItems.batchMove', { workItemIds: [third.taskId, second.id], ...toDo });
  const both = [third.taskId, second.id].map((each) => ({ id: each, estimate: 3, addLabels: ['urgent fix'] }));
  await ask(caller, 'workItems.batchUpdate', { items: both });
  await ask(caller, 'workItems.comment', { workItemId: task.id, text: 'Hello' });
  await ask(caller, 'workItems.createMany', {
    items: [
      { ref: 'a', title: 'A', type: 'task', parentId: task.id, externalId: 'many/a' },
      { title: 'B', type: 'task', dependsOn: ['#a', task.taskId], metadata: { ideaId: idea.taskId } },
    ],
  });

  await ask(caller, 'projects.setBudget', { id, limitUsd: 5 });
  await ask(caller, 'workItems.setItemBudget', { id: epic.id, limitUsd: 0 });
  await ask(caller, 'workItems.claim', { agent: 'none' });
  await ask(caller, 'workItems.claim', { agent: 'none', ids: [epic.id] });
  await ask(caller, 'workItems.setBudget', { workItemId: epic.taskId, limitUsd: 5, period: 'day' });
  const session = { model: 'gpt-4o', totalTokens: 100 };
  await ask(caller, 'workItems.recordSession', { taskId: task.taskId, ...session });
  const claimed = await ask(caller, 'workItems.claim', { agent: 'one' });
  await ask(caller, 'workItems.claim', { ids: [epic.taskId], agent: 'two' });
  const { workItem, lease } = claimed;
  if (!workItem || !lease) throw new Error('There was nothing to claim.');
  await ask(caller, 'workItems.claim', { agent: 'one', leaseToken: lease.token });
  const beat = { state: 'awaiting_input', question: 'Why?', model: 'gpt-4o', totalTokens: 5 } as const;
  await ask(caller, 'workItems.progress', { workItemId: workItem.id, leaseToken: lease.token, ...beat });
  await ask(caller, 'workItems.answer', { workItemId: workItem.id, text: 'So.' });
  await ask(caller, 'workItems.release', { workItemId: workItem.id, leaseToken: lease.token });
  await ask(caller, 'workItems.completeAiTask', {
    workItemId: third.id,
    reviewColumnId: column('Review'),
    ...session,
  });
  await ask(caller, 'workItems.completeReview', { workItemId: third.id, result: 'pass', summary: 'Good' });
  await ask(caller, 'workItems.completeValidation', { workItemId: third.id, ...session });
  await ask(caller, 'workItems.usage', { groupBy: 'day' });
  await ask(caller, 'workItems.usage', { groupBy: 'epic' });
  await ask(caller, 'workItems.usage', { projectId: id, from: '2026-01-01', to: '2027-01-01' });
  await ask(caller, 'workItems.usage', { workItemId: epic.id, from: '2026-01-01', groupBy: 'workItem' });
  await ask(roaming, 'workItems.usage', { from: '2026-01-01' });
  await ask(caller, 'workItems.implementContext', { ids: [epic.id, second.taskId] });
  await ask(caller, 'workItems.ideationContext', { keywords: ['story', 'task'] });
  await ask(roaming, 'workItems.ideationContext', { keywords: ['story'] });
  await ask(caller, 'workItems.reviewContext', { taskId: epic.id, featureReview: true });
  await ask(caller, 'workItems.validateContext', { ids: [epic.id] });
  await ask(caller, 'workItems.generatePrompt', { id: task.id });
  await ask(caller, 'workItems.getPrompt', { id: task.taskId });
  await ask(caller, 'workItems.brief', { id: idea.id });
  const empty = await ask(roaming, 'projects.create', { name: 'Empty' });
  // Limited to several projects, and without one in the call.
  const within = { ...roaming, projects: [id, empty.id] };
  await ask(within, 'workItems.list', { limit: 1 });
  const needs = { kinds: [...NEED_KINDS], names: ['ada', caller.userId], limit: 10 };
  // Kinds without anything are not looked for.
  const since = new Date();
  const needy = { needs: { kind: 'review', since }, blocked: { since, on: [] }, assigned: { since }, assignee: 'ada' };
  const which = { organizationId: caller.organizationId, _id: idea.id };
  await ItemModel.updateOne(which, { $set: needy });
  for (const by of [caller, { ...caller, projects: [id] }]) {
    await ask(by, 'workItems.needs', needs);
    await ask(by, 'workItems.summaries', { ids: [id, 'W-T-1'] });
    for (const kind of ['review', 'blocked', 'assigned'] as const) {
      await ask(by, 'workItems.needs', { ...needs, after: { kind, since: new Date().toISOString(), id } });
    }
  }
  await ItemModel.updateOne(which, { $set: { needs: null, blocked: null, assigned: null, assignee: null } });
  const user = { userId: caller.userId, name: 'Ada' };
  await ask(caller, 'workItems.nameUser', { ...user, revision: 1, isErased: false });
  await ask(caller, 'workItems.nameUser', { ...user, name: 'Erased user', revision: 2, isErased: true });
  await ask(caller, 'workItems.lineage', { id: idea.taskId });
  await ask(caller, 'workItems.lineage', { id: second.taskId });
  await ask(caller, 'attachments.list', { workItemId: task.id });
  await ask(caller, 'attachments.delete', { workItemId: task.id, attachmentId: task.id }).catch(() => undefined);
  await ask(caller, 'workItems.delete', { id: story.id });
  await ask(caller, 'workItems.delete', { id: epic.id });
  await ask(caller, 'workItems.events', { workItemId: story.taskId });
  await ask(roaming, 'projects.delete', { id: empty.id });
  return caller.organizationId;
}

/** Where all was done once. */
let once: string;

/**
 * All operations are called, and it is checked how MongoDB answers each resulting query: by an index, in its order, and as the snapshot says. An
 * operation that is new and not called here fails the test.
 */
test('every query of every operation is answered by an index, without a sort', async () => {
  const plans = new OperationPlans(workItemsContract, { elsewhere: WITH_BYTES, borne: BORNE });
  once = await callAll((caller, name, input) => plans.of(name, () => call(caller, name, input)));
  expect(plans.faults).toEqual([]);
  await expect(plans.table('Work items')).toMatchFileSnapshot('../../test/surface/plans/work-items.md');
});

test('each write takes effect once, though the reply to its commit is lost and the call comes again', async () => {
  const again = new CallsAgain(workItemsContract);
  const organization = await callAll((caller, name, input) =>
    again.of(name, (idempotencyKey) => call(caller, name, input, idempotencyKey)),
  );
  expect(await storedOf(organization)).toEqual(await storedOf(once));
});
