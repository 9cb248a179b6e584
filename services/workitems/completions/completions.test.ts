import type { Caller } from '@worktrack/contracts/caller';
import { MAX_METADATA_BYTES, type Metadata } from '@worktrack/contracts/metadata';
import { completeValidation } from '@worktrack/contracts/work-items/agents/completions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { faultsOf } from '@worktrack/runtime/validation/parse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const MODEL = { model: 'claude-opus-4-5', totalTokens: 1_000_000 };
const COST = '10.000000';
const caller = (): Caller => project.caller;
/** Who may pass what the other has handed over. */
const judge = (): Caller => ({ ...project.caller, keyId: uuidv7(), userId: uuidv7() });
const usageOf = async (workItemId: string) => (await call(caller(), 'workItems.usage', { workItemId })).totals;

/** Everything about an item that a failed call could have changed. */
async function stateOf(workItemId: string) {
  return {
    item: await project.get(workItemId),
    history: await project.history(workItemId),
    usage: await usageOf(workItemId),
  };
}

describe('a verdict on a version', () => {
  const verdicts = [
    ['workItems.completeReview', 'Review'],
    ['workItems.completeValidation', 'Testing'],
  ] as const;
  test.each(verdicts)('%s is refused when it has changed since, and changes nothing', async (name, column) => {
    const { id: workItemId, version } = await project.create('task', { column });
    await project.update(workItemId, { title: 'Handed over anew' });
    const before = await stateOf(workItemId);
    const verdict = { workItemId, result: 'pass' as const, summary: 'Good' };
    expect(await failure(call(caller(), name, { ...verdict, version }))).toMatchObject({
      code: 'CONFLICT',
      extra: { current: { title: 'Handed over anew', version: before.item.version } },
    });
    expect(await stateOf(workItemId)).toEqual(before);
    await call(caller(), name, { ...verdict, version: before.item.version });
  });
});

describe('complete_review', () => {
  test('a pass goes to Testing and a fail back to In Progress; both end the AI’s part', async () => {
    for (const [result, movedTo] of [
      ['pass', 'Testing'],
      ['fail', 'In Progress'],
    ] as const) {
      const item = await project.create('task', { column: 'In Progress' });
      await project.move(item.id, 'Review', { setAiProcessing: true });
      const answer = await call(judge(), 'workItems.completeReview', {
        workItemId: item.id,
        result,
        summary: 'Looked at all of it',
        issues: ['Too slow'],
        reviewedFiles: ['src/index.ts'],
      });
      expect(answer).toEqual({
        completed: true,
        workItemId: item.id,
        taskId: item.taskId,
        result,
        fromColumn: 'Review',
        movedTo,
      });
      const after = await project.get(item.id);
      expect(after).toMatchObject({ columnName: movedTo, isAiProcessing: false, version: item.version + 2 });
      expect(after.metadata.review).toEqual({
        result,
        summary: 'Looked at all of it',
        issues: ['Too slow'],
        reviewedFiles: ['src/index.ts'],
        reviewedAt: expect.any(String),
      });
      const [moved, updated] = await project.history(item.id);
      expect(moved).toMatchObject({ eventType: 'moved', data: { fromColumn: 'Review', toColumn: movedTo } });
      expect(updated?.data).toEqual({
        changes: { metadata: { from: {}, to: { review: after.metadata.review } } },
      });
    }
  });

  test('the last 20 earlier reviews are kept, oldest first', async () => {
    const item = await project.create('task', { column: 'Review' });
    for (let n = 0; n < 23; n++) {
      await call(caller(), 'workItems.completeReview', { workItemId: item.id, result: 'fail', summary: `Review ${n}` });
    }
    const { metadata } = await project.get(item.id);
    expect(metadata.review).toMatchObject({ summary: 'Review 22' });
    expect((metadata.reviewHistory as Metadata[]).map(({ summary }) => summary)).toEqual(
      Array.from({ length: 20 }, (_, n) => `Review ${n + 2}`),
    );
  });

  test('an item full of long reviews can still be reviewed: the oldest are dropped', async () => {
    const item = await project.create('task', { column: 'Review', metadata: { mine: 'stays' } });
    for (let n = 0; n < 8; n++) {
      const summary = `${n}`.repeat(45_000);
      await call(caller(), 'workItems.completeReview', { workItemId: item.id, result: 'fail', summary });
    }
    const { metadata } = await project.get(item.id);
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBeLessThanOrEqual(MAX_METADATA_BYTES);
    expect((metadata.reviewHistory as Metadata[]).map(({ summary }) => String(summary)[0])).toEqual([
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(metadata.mine).toBe('stays');
  });
});

describe('complete_validation', () => {
  test('a pass goes to To Document, with documentation, results and the session, in one version', async () => {
    const item = await project.create('task', {
      column: 'Validating',
      metadata: { documentation: { summary: 'Old', changelogEntry: 'Kept' } },
    });
    const answer = await call(judge(), 'workItems.completeValidation', {
      workItemId: item.id,
      documentation: { summary: 'New', screenshots: ['https://example.com/1.png'] },
      testResults: { passed: 3, failed: 0 },
      durationMs: 5,
      taskId: item.taskId.toLowerCase(),
      ...MODEL,
    });
    expect(answer).toEqual({
      completed: true,
      workItemId: item.id,
      taskId: item.taskId,
      passed: true,
      fromColumn: 'Validating',
      movedTo: 'To Document',
      redirected: false,
      sessionId: expect.any(String),
      estimatedCost: COST,
      costBasis: 'total',
      totalTokens: 1_000_000,
    });
    expect(await project.get(item.id)).toMatchObject({
      version: item.version + 1,
      isAiProcessing: false,
      metadata: {
        documentation: { summary: 'New', changelogEntry: 'Kept', screenshots: ['https://example.com/1.png'] },
        testResults: { passed: 3, failed: 0 },
      },
    });
    const history = await project.history(item.id);
    expect(history.map(({ eventType }) => eventType)).toEqual(['moved', 'ai_session', 'updated', 'created']);
    expect(history[1]?.data).toMatchObject({ id: answer.sessionId, provider: 'anthropic', sessionType: 'validate' });
  });

  test('failed tests are not a pass: the same is recorded, and the item goes back to In Progress', async () => {
    const item = await project.create('task', { column: 'Validating' });
    const answer = await call(caller(), 'workItems.completeValidation', {
      workItemId: item.id,
      toDocumentColumnId: project.column('To Document'),
      documentation: { summary: 'Written' },
      testResults: { passed: 3, failed: 1, testFiles: ['a.test.ts'] },
      ...MODEL,
    });
    expect(answer).toMatchObject({ completed: true, passed: false, movedTo: 'In Progress', estimatedCost: COST });
    expect(await project.get(item.id)).toMatchObject({
      columnName: 'In Progress',
      isAiProcessing: false,
      metadata: { documentation: { summary: 'Written' }, testResults: { failed: 1, testFiles: ['a.test.ts'] } },
    });
    expect(await usageOf(item.id)).toMatchObject({ sessions: 1 });
  });

  test.each([
    ['toDocumentColumnId', 'Validating', 'To Document', true],
    ['validatingColumnId', 'Validating', 'To Document', true],
    ['validatingColumnId', 'To Document', 'To Document', false],
    ['toDocumentColumnId', 'Done', 'Done', false],
  ] as const)('%s = %s leads to %s', async (field, given, movedTo, redirected) => {
    const item = await project.create('task', { column: 'Validating' });
    const input = { workItemId: item.id, [field]: project.column(given), ...MODEL };
    expect(await call(caller(), 'workItems.completeValidation', input)).toMatchObject({ movedTo, redirected });
  });

  test('on a board without To Document a pass goes on to what comes after it, also if Validating is given', async () => {
    const board = await call(caller(), 'boards.create', {
      id: project.project.id,
      name: 'Short',
      columns: [{ name: 'Open' }, { name: 'In Progress' }, { name: 'Validating' }, { name: 'Shipped' }],
    });
    const [, inProgress, validating] = board.columns.map(({ id }) => id) as [string, string, string];
    const where = { boardId: board.id, boardColumnId: inProgress };
    for (const given of [{}, { validatingColumnId: validating }]) {
      const item = await call(caller(), 'workItems.create', { title: 'Short', type: 'task', ...where });
      const passed = await call(caller(), 'workItems.completeValidation', { workItemId: item.id, ...given, ...MODEL });
      expect(passed).toMatchObject({ movedTo: 'Shipped', redirected: 'validatingColumnId' in given });
    }
  });
});

describe('complete_ai_task', () => {
  test('moves to Review, clears the flag, notes what is left for the user and records the session, in one version', async () => {
    const item = await project.create('task', { column: 'To Do' });
    await project.move(item.id, 'In Progress');
    const answer = await call(caller(), 'workItems.completeAiTask', {
      workItemId: item.taskId,
      reviewColumnId: project.column('Review'),
      userActions: '- look at it',
      model: 'gpt-5',
      totalTokens: 1_000_000,
    });
    expect(answer).toEqual({
      completed: true,
      workItemId: item.id,
      movedTo: 'Review',
      sessionId: expect.any(String),
      estimatedCost: '3.437500',
      costBasis: 'total',
      totalTokens: 1_000_000,
    });
    expect(await project.get(item.id)).toMatchObject({
      columnName: 'Review',
      isAiProcessing: false,
      metadata: { userActions: '- look at it' },
      version: item.version + 2,
    });
    const [moved, session, updated] = await project.history(item.id);
    expect([moved, session, updated].map((event) => event?.eventType)).toEqual(['moved', 'ai_session', 'updated']);
    expect(session?.data).toMatchObject({
      id: answer.sessionId,
      workItemId: item.id,
      taskId: item.taskId,
      model: 'gpt-5',
      provider: 'openai',
      sessionType: 'implement',
      estimatedCost: '3.437500',
      costBasis: 'total',
    });
  });

  test('repeated without its idempotency key is recorded again, and says so', async () => {
    const { id, taskId } = await project.create('task');
    const { lease } = await call(caller(), 'workItems.claim', { ids: [id], agent: 'one' });
    const first = await call(caller(), 'workItems.completeAiTask', {
      workItemId: id,
      leaseToken: lease?.token,
      ...MODEL,
    });
    expect(first).not.toHaveProperty('warnings');
    const second = await call(caller(), 'workItems.completeAiTask', { workItemId: id, ...MODEL });
    expect(second.warnings).toEqual([expect.stringContaining(`${taskId} had been handed over and was in Review`)]);
    expect((await usageOf(id)).sessions).toBe(2);
  });

  test('a part that fails undoes everything: the session stored before it does not appear', async () => {
    const item = await project.create('task', {
      column: 'In Progress',
      metadata: { big: 'x'.repeat(MAX_METADATA_BYTES - 1_000) },
    });
    const before = await stateOf(item.id);
    const refused = await failure(
      call(caller(), 'workItems.completeAiTask', {
        workItemId: item.id,
        reviewColumnId: project.column('Review'),
        userActions: 'x'.repeat(2_000),
        ...MODEL,
      }),
    );
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('metadata') });
    expect(await stateOf(item.id)).toEqual(before);
  });

  test('the parent follows, as after any move', async () => {
    const story = await project.create('story');
    const task = await project.create('task', { parentId: story.id, column: 'To Do' });
    const input = { workItemId: task.id, reviewColumnId: project.column('Review'), ...MODEL };
    await call(caller(), 'workItems.completeAiTask', input);
    expect(await project.get(story.id)).toMatchObject({ columnName: 'In Progress' });
  });
});

describe('record_ai_session', () => {
  test('finds the item by either id, and leaves it unchanged', async () => {
    const item = await project.create('task');
    const byId = { workItemId: item.id, ...MODEL, inputTokens: 900_000, outputTokens: 100_000 };
    const byTaskId = { taskId: item.taskId.toLowerCase(), model: 'nobody-knows-it', totalTokens: 5, durationMs: 7 };
    expect(await call(caller(), 'workItems.recordSession', byId)).toMatchObject({ estimatedCost: '7.000000' });
    expect(await call(caller(), 'workItems.recordSession', byTaskId)).toEqual({
      sessionId: expect.any(String),
      workItemId: item.id,
      estimatedCost: 'unknown',
      costBasis: 'unpriced',
      totalTokens: 5,
    });
    expect(await project.get(item.id)).toEqual(item);
    expect((await project.history(item.id)).map(({ eventType }) => eventType)).toEqual([
      'ai_session',
      'ai_session',
      'created',
    ]);
    expect(await usageOf(item.id)).toMatchObject({
      sessions: 2,
      totalTokens: 1_000_005,
      inputTokens: 900_000,
      outputTokens: 100_000,
      durationMs: 7,
      estimatedCost: '7.000000',
      unpricedSessions: 1,
    });
  });
});

const MISSING = '01990000-0000-7000-8000-000000000000';
test.each([
  ['complete_review', 'workItems.completeReview', { result: 'pass', summary: 's' }],
  ['complete_validation', 'workItems.completeValidation', MODEL],
  ['complete_ai_task', 'workItems.completeAiTask', { reviewColumnId: MISSING, ...MODEL }],
  ['record_ai_session', 'workItems.recordSession', MODEL],
] as const)('%s of another organization’s item is NOT_FOUND, and nothing happens to it', async (_, name, input) => {
  const item = await project.create('task', { column: 'Review' });
  const before = await stateOf(item.id);
  const stranger = await startProject();
  expect(await failure(call(stranger.caller, name, { workItemId: item.id, ...input } as never))).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await stateOf(item.id)).toEqual(before);
});

test.each([
  ['a task ID of another item', 'completeAiTask', () => ({ taskId: 'W-T-999999' }), 'taskId'],
  ['a task ID of another item', 'completeValidation', () => ({ taskId: 'W-T-999999' }), 'taskId'],
  ['a task ID of another item', 'recordSession', () => ({ taskId: 'W-T-999999' }), 'taskId'],
  [
    'a column that is not Review',
    'completeAiTask',
    () => ({ reviewColumnId: project.column('Done') }),
    'reviewColumnId',
  ],
  ['a column of no board', 'completeAiTask', () => ({ reviewColumnId: MISSING }), 'reviewColumnId'],
  ['a column of no board', 'completeValidation', () => ({ toDocumentColumnId: MISSING }), 'toDocumentColumnId'],
  ['a column of no board', 'completeValidation', () => ({ validatingColumnId: MISSING }), 'validatingColumnId'],
] as const)(
  '%s given to %s is refused with the name of the field, and nothing is stored',
  async (_, name, wrong, path) => {
    const item = await project.create('task', { column: 'In Progress' });
    const before = await stateOf(item.id);
    const right = name === 'completeAiTask' ? { reviewColumnId: project.column('Review') } : {};
    const input = { workItemId: item.id, ...MODEL, ...right, ...wrong() };
    const refused = await failure(call(caller(), `workItems.${name}`, input as never));
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path }] } });
    expect(await stateOf(item.id)).toEqual(before);
  },
);

test('a validation without a model hears of verdicts by people only if it gives one', () => {
  const messages = (given: object) =>
    faultsOf(completeValidation.input, { workItemId: 'W-T-1', ...given }).map(({ path, message }) => [path, message]);
  expect(messages({})).toEqual([
    ['model', 'is required'],
    ['totalTokens', 'is required'],
  ]);
  expect(messages({ result: 'pass' })).toEqual([]);
  expect(messages({ result: 'pass', totalTokens: 1 })).toEqual([
    ['model', expect.stringContaining('a verdict by a person')],
  ]);
});
