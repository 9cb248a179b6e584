import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { sharedSystem } from '../support/system.ts';

/**
 * Two operations that write the same items in a different order: one the task and then its ancestors, the other the ancestor and then what is below
 * it. Neither may wait for the other longer than it takes.
 */
let organization: TestOrganization;
beforeAll(async () => {
  organization = await (await sharedSystem()).newOrganization();
});

const ROUNDS = [1, 2, 3, 4, 5];
const path = (id: string, action = '') => `/api/work-items/${id}${action}`;

async function create(type: string, parentId?: string): Promise<string> {
  const { boardId, columns, call } = organization;
  const body = { title: `A ${type}`, type, boardId, boardColumnId: columns.Backlog, parentId };
  const answer = await call<{ id: string }>('POST', '/api/work-items', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.data.id;
}

async function createStoryWithTask(): Promise<{ readonly story: string; readonly task: string }> {
  const story = await create('story', await create('feature', await create('epic')));
  return { story, task: await create('task', story) };
}

describe('at the same time', () => {
  test.each(ROUNDS)('a move of a task to Done while its story gets a new parent: both succeed (round %i)', async () => {
    const { story, task } = await createStoryWithTask();
    const feature = await create('feature');
    const { call, columns } = organization;
    const answers = await Promise.all([
      call('POST', path(task, '/move'), { boardColumnId: columns.Done }),
      call('PATCH', path(story), { parentId: feature }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await call('GET', path(story))).data).toMatchObject({ columnName: 'Done', parentId: feature });
    // Whichever came first, the feature heard of its only child: through the story's move, or not at all if the story came later.
    const { data } = await call<{ events: { eventType: string }[] }>('GET', path(story, '/events'));
    expect(data.events.map(({ eventType }) => eventType).toSorted()).toEqual(['created', 'moved', 'updated']);
  });

  test.each(ROUNDS)('DELETE of a story during the AI completion of its task: both succeed (round %i)', async () => {
    const { story, task } = await createStoryWithTask();
    const { call, columns } = organization;
    const completion = { reviewColumnId: columns.Review, model: 'gpt-4o', totalTokens: 8 };
    const answers = await Promise.all([
      call('DELETE', path(story)),
      call('POST', path(task, '/ai-completion'), completion),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await call('GET', path(task))).data).toMatchObject({ columnName: 'Review', parentId: null });
    expect((await call('GET', path(story))).status).toBe(404);
  });
});
