import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  failure,
  startProject,
  startWorkItems,
  stopWorkItems,
  storeUnchecked,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});

const implement = (ids: string[], projectId?: string) =>
  call(project.caller, 'workItems.implementContext', { ids, projectId });

describe('get_implement_context', () => {
  test('shows leaf tasks with states, dependencies, waves, cycles and the board', async () => {
    const epic = await project.create('epic', { title: 'Epic' });
    const feature = await project.create('feature', { title: 'Feature', parentId: epic.id });
    const story = await project.create('story', { title: 'Story', parentId: feature.id });
    const outside = await project.create('task', { title: 'outside' });
    const task = (title: string, column: string, dependsOn: string[] = [], metadata = {}) =>
      project.create('task', { title, column, parentId: story.id, metadata: { ...metadata, dependsOn } });
    const done = await task('done', 'Done');
    const review = await task('review', 'To Document', [outside.id]);
    const working = await task('working', 'In Progress');
    const ready = await task('ready', 'To Do', [done.id, review.taskId.toLowerCase(), done.taskId], {
      prompt: { text: 'x', generatedAt: 'y' },
    });
    const waits = await task('waits', 'Backlog', [ready.id, review.id]);
    const last = await task('last', 'Backlog', [waits.id, ready.id]);
    await task('behind', 'Backlog', [working.id, ready.id]);
    const lost = await task('lost', 'Backlog');
    await storeUnchecked(lost.id, { dependsOn: ['W-T-9999', outside.taskId, 'what is this'] });
    const first = await task('first of a ring', 'Backlog');
    const second = await task('second of a ring', 'Backlog', [first.id]);
    await storeUnchecked(first.id, { dependsOn: [second.taskId] });
    const self = await task('waits for itself', 'Backlog');
    await storeUnchecked(self.id, { dependsOn: [self.id] });

    const context = await implement([epic.taskId, ready.id, 'W-T-9999', 'nonsense']);
    expect(context.inputIds).toEqual([epic.taskId, ready.id, 'W-T-9999', 'nonsense']);
    expect(context.notFound).toEqual(['W-T-9999', 'nonsense']);
    const shown = Object.fromEntries(
      context.tasks.map(({ title, state, dependsOn, blockedBy }) => [title, [state, dependsOn, blockedBy]]),
    );
    expect(shown).toEqual({
      done: ['done', [], []],
      review: ['in_review', [outside.taskId], []],
      working: ['in_progress', [], []],
      ready: ['ready', [done.taskId, review.taskId], []],
      waits: ['waiting', [ready.taskId, review.taskId], [ready.taskId]],
      last: ['waiting', [waits.taskId, ready.taskId], [waits.taskId, ready.taskId]],
      behind: ['blocked', [working.taskId, ready.taskId], [working.taskId]],
      lost: ['blocked', ['W-T-9999', outside.taskId, 'what is this'], ['W-T-9999', outside.taskId, 'what is this']],
      'first of a ring': ['blocked', [second.taskId], [second.taskId]],
      'second of a ring': ['blocked', [first.taskId], [first.taskId]],
      'waits for itself': ['blocked', [self.taskId], [self.taskId]],
    });
    expect(context.waves).toEqual([[ready.taskId], [waits.taskId], [last.taskId]]);
    expect(context.cycles).toEqual([[first.taskId, second.taskId], [self.taskId]]);
    expect(context.tasks.find(({ id }) => id === ready.id)).toEqual({
      id: ready.id,
      taskId: ready.taskId,
      title: 'ready',
      priority: 'medium',
      columnName: 'To Do',
      state: 'ready',
      lease: null,
      dependsOn: [done.taskId, review.taskId],
      blockedBy: [],
      parent: { id: story.id, taskId: story.taskId, title: 'Story', type: 'story' },
      hasPrompt: true,
    });
    expect(context.board).toEqual({
      id: project.board.id,
      columns: project.board.columns.map(({ id, name }) => ({ id, name })),
      backlogColumnId: project.column('Backlog'),
      inProgressColumnId: project.column('In Progress'),
      reviewColumnId: project.column('Review'),
      validatingColumnId: project.column('Validating'),
      toDocumentColumnId: project.column('To Document'),
      doneColumnId: project.column('Done'),
    });
  });

  test('does not take an id of another project for a dependency, nor an item of it for one of the batch', async () => {
    const other = await startProject('Another', project.organization);
    const elsewhere = await other.create('task', { column: 'Done' });
    const task = await project.create('task');
    await storeUnchecked(task.id, { dependsOn: [elsewhere.taskId] });
    const { tasks, notFound } = await implement([task.id, elsewhere.id], project.project.id);
    expect(notFound).toEqual([elsewhere.id]);
    expect(tasks).toMatchObject([{ state: 'blocked', blockedBy: [elsewhere.taskId] }]);
  });

  test('of unknown items has the project’s board, and of a foreign project is NOT_FOUND', async () => {
    expect(await implement(['W-T-9999'])).toMatchObject({ notFound: ['W-T-9999'], board: { id: project.board.id } });
    expect(await failure(implement(['W-T-9999'], uuidv7()))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('get_validate_context', () => {
  test('sorts leaf tasks into reviewable, testable and skipped, with their parents', async () => {
    const story = await project.create('story', { title: 'Story', description: 'What it is for' });
    const inColumn = (column: string) => project.create('task', { title: column, column, parentId: story.id });
    const tasks = [];
    for (const column of ['Backlog', 'In Progress', 'Review', 'Testing', 'Validating', 'Done']) {
      tasks.push(await inColumn(column));
    }
    const context = await call(project.caller, 'workItems.validateContext', { ids: [story.id, 'W-T-9999'] });
    expect(context).toMatchObject({ inputIds: [story.id, 'W-T-9999'], notFound: ['W-T-9999'] });
    expect(context.reviewable).toEqual([
      {
        id: tasks[2]?.id,
        taskId: tasks[2]?.taskId,
        title: 'Review',
        type: 'task',
        columnName: 'Review',
        parentId: story.id,
      },
    ]);
    expect(context.testable.map(({ title }) => title)).toEqual(['Testing']);
    expect(context.skipped.map(({ columnName, reason }) => [columnName, reason])).toEqual([
      ['Backlog', 'Nobody has started it.'],
      ['In Progress', 'It is still being worked on.'],
      ['Validating', 'It is past testing.'],
      ['Done', 'It is done.'],
    ]);
    expect(context.parents).toMatchObject([{ taskId: story.taskId, title: 'Story', description: 'What it is for' }]);
    expect(context.board).toMatchObject({
      validatingColumnId: project.column('Validating'),
      toDocumentColumnId: project.column('To Document'),
    });
  });
});

describe('get_review_context', () => {
  test('shows the item, where a pass and a fail lead, what it depends on, its siblings and its latest review', async () => {
    const feature = await project.create('feature');
    const before = await project.create('task', { title: 'before', column: 'Done' });
    const item = await project.create('task', {
      column: 'Review',
      parentId: feature.id,
      metadata: { dependsOn: [before.taskId] },
    });
    const sibling = await project.create('task', { title: 'sibling', column: 'Review', parentId: feature.id });
    await project.create('task', { title: 'below the sibling', parentId: sibling.id });
    await call(project.caller, 'workItems.completeReview', { workItemId: item.id, result: 'fail', summary: 'Not yet' });

    const context = await call(project.caller, 'workItems.reviewContext', { taskId: item.taskId });
    expect(context.item).toEqual(await project.get(item.id));
    expect(context.routing).toEqual({
      passColumnId: project.column('Testing'),
      failColumnId: project.column('In Progress'),
      reviewColumnId: project.column('Review'),
    });
    expect(context.dependencies).toEqual([
      { id: before.id, taskId: before.taskId, title: 'before', type: 'task', columnName: 'Done' },
    ]);
    expect(context.siblings.map(({ title }) => title)).toEqual(['sibling']);
    expect(context).toMatchObject({ children: [], attachments: [], latestReview: { summary: 'Not yet' } });
  });

  test('of a feature or epic shows what is below it and in Review, if asked to', async () => {
    const feature = await project.create('feature');
    const story = await project.create('story', { parentId: feature.id });
    await project.create('task', { title: 'to review', column: 'Review', parentId: story.id });
    await project.create('task', { title: 'not yet', parentId: story.id });
    const ask = (featureReview: boolean) =>
      call(project.caller, 'workItems.reviewContext', { taskId: feature.id, featureReview });
    expect((await ask(true)).children.map(({ title }) => title)).toEqual(['to review']);
    expect((await ask(false)).children).toEqual([]);
  });

  test('copes with anything in metadata', async () => {
    const item = await project.create('task', { metadata: { review: 'a text' } });
    await storeUnchecked(item.id, { dependsOn: { not: 'a list' } });
    expect(await call(project.caller, 'workItems.reviewContext', { taskId: item.id })).toMatchObject({
      dependencies: [],
      latestReview: null,
    });
  });
});

describe('get_ideation_context', () => {
  const ideate = (keywords: string[], limit?: number) =>
    call(project.caller, 'workItems.ideationContext', { keywords, limit });

  test('finds what matches most keywords, in titles before descriptions, best first', async () => {
    await project.create('task', { title: 'Something else', description: 'Nothing to see' });
    await project.create('task', { title: 'A checkout page', description: 'With payment' });
    await project.create('idea', { title: 'Payments at the checkout' });
    await project.create('feature', { title: 'Billing', description: 'Every payment has a receipt' });
    const { keywords, items } = await ideate(['Páyment', 'CHECKOUT', '!?']);
    expect(keywords).toEqual(['Páyment', 'CHECKOUT', '!?']);
    expect(items.map(({ title, matched, score }) => [title, matched, score])).toEqual([
      ['Payments at the checkout', ['Páyment', 'CHECKOUT'], 0.667],
      ['A checkout page', ['Páyment', 'CHECKOUT'], 0.444],
      ['Billing', ['Páyment'], 0.111],
    ]);
  });

  test('a word that only begins like the keyword is not a match', async () => {
    await project.create('task', { title: 'Authorize the payment' });
    const fits = await project.create('task', { title: 'Authentication by key' });
    expect((await ideate(['authentication'])).items.map(({ id }) => id)).toEqual([fits.id]);
  });

  test('offers the epics and features that match, then the newest others, none of them done', async () => {
    const epic = (title: string, column = 'Backlog') => project.create('epic', { title, column });
    await epic('Payments');
    await epic('Old', 'Done');
    await epic('Second');
    await project.create('feature', { title: 'Newest' });
    const { potentialParents, board } = await ideate(['payments']);
    expect(potentialParents.map(({ title }) => title)).toEqual(['Payments', 'Newest', 'Second']);
    expect(board?.id).toBe(project.board.id);
  });

  test('is for one project, and for as many items as asked for', async () => {
    const other = await startProject('Another', project.organization);
    await other.create('task', { title: 'Payment' });
    for (let n = 0; n < 3; n++) await project.create('task', { title: `Payment ${n}` });
    expect((await ideate(['payment'])).items).toHaveLength(3);
    expect((await ideate(['payment'], 2)).items.map(({ title }) => title)).toEqual(['Payment 2', 'Payment 1']);
    const everywhere = await call(project.organization, 'workItems.ideationContext', { keywords: ['payment'] });
    expect(everywhere.items).toHaveLength(4);
  });
});
