import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, type McpClient, refusalOf } from '../../mcp/connect.ts';
import type { TestOrganization } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
let organization: TestOrganization;
let client: McpClient;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  client = await connect(organization.projectId);
});
afterAll(() => client.close());

const connect = (projectId?: string) =>
  connectMcp('client 2.x, automatic', system.baseUrl, organization.apiKey, projectId);

interface Item {
  readonly id: string;
  readonly taskId: string;
}
async function ask<T = Item>(tool: string, args: Record<string, unknown>): Promise<T> {
  const result = await client.call(tool, args);
  if (result.isError) throw new Error(`${tool}: ${result.content[0]?.text}`);
  return result.structuredContent as T;
}

describe('an agent', () => {
  test('plans an epic, works through it, and reads what happened', async () => {
    const epic = await ask('create_epic', { title: 'Checkout' });
    const feature = await ask('create_feature', { title: 'Payment', parentId: epic.id });
    const story = await ask('create_story', { title: 'Pay by card', parentId: feature.taskId, priority: 'high' });
    const tasks: Item[] = [];
    for (const title of ['Form', 'Receipt']) tasks.push(await ask('create_task', { title, parentId: story.id }));

    const resolved = await ask<{ items: Item[] }>('resolve_work_items', { ids: [epic.taskId] });
    expect(resolved.items.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id));

    const { columns } = organization;
    for (const { taskId } of tasks) {
      await ask('move_work_item', { workItemId: taskId, boardColumnId: columns['In Progress'] });
      await ask('update_work_item', { id: taskId, metadata: { branch: `work/${taskId}` } });
      await ask('add_work_item_comment', { workItemId: taskId, text: 'Done, see the branch.' });
    }
    const [one, two] = tasks.map(({ id }) => id);
    await ask('move_work_item', { workItemId: one, boardColumnId: columns.Done });
    const last = await ask<{ cascaded: Item[] }>('move_work_item', { workItemId: two, boardColumnId: columns.Done });
    expect(last.cascaded.map(({ taskId }) => taskId)).toEqual([story.taskId, feature.taskId, epic.taskId]);
    expect(await ask('get_work_item', { id: epic.taskId })).toMatchObject({
      columnName: 'Done',
      isAiProcessing: false,
    });

    const history = await ask<{ events: { eventType: string }[] }>('get_work_item_events', { workItemId: one });
    const types = history.events.map(({ eventType }) => eventType);
    expect(types).toEqual(['moved', 'comment', 'updated', 'moved', 'created']);

    const children = await ask<{ workItems: Item[] }>('list_work_items', { parentId: story.id });
    expect(children.workItems.map(({ id }) => id)).toEqual([two, one]);
    const batch = await ask('batch_move_work_items', { workItemIds: [one, two], boardColumnId: columns.Review });
    expect(batch).toMatchObject({ movedCount: 2, skipped: [] });
    const { items } = batch as unknown as { items: Item[] };
    expect(items).toMatchObject([one, two].map((id) => ({ id, boardColumnId: columns.Review, type: 'task' })));
    expect(await ask('delete_work_item', { id: story.id })).toEqual({ deleted: true, id: story.id });
    expect(await ask('get_work_item', { id: two })).toMatchObject({ parentId: null });
  });

  test('gets from a tool what the route answers', async () => {
    const { boardId, columns } = organization;
    const args = { title: 'Same', type: 'idea', boardId, boardColumnId: columns['To Do'], assignee: 'ada' };
    const item = await ask('create_work_item', args);
    expect(await ask('get_work_item', { id: item.id })).toEqual(item);
    expect((await organization.call('GET', `/api/work-items/${item.id}`)).data).toEqual(item);
    const query = `projectId=${organization.projectId}&assignee=ada`;
    const { data } = await organization.call('GET', `/api/work-items?${query}`);
    expect(await ask('list_work_items', { assignee: 'ada' })).toEqual(data);
  });

  test('is told what to change: a stale version with the item, a wrong column with the columns', async () => {
    const item = await ask('create_task', { title: 'Contested' });
    await ask('update_work_item', { id: item.id, title: 'Taken', version: 1 });
    const stale = refusalOf(await client.call('update_work_item', { id: item.id, title: 'Late', version: 1 }));
    expect(stale.code).toBe('CONFLICT');
    const wrong = { workItemId: item.id, boardColumnId: organization.boardId };
    const refusal = refusalOf(await client.call('move_work_item', wrong));
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'boardColumnId' }] });
    expect(refusal.message).toContain(organization.columns.Review);
  });

  test('without a session project cannot create tasks, and sees all projects', async () => {
    await organization.call('POST', '/api/projects', { name: 'Another' });
    const roaming = await connect();
    try {
      const refusal = refusalOf(await roaming.call('create_task', { title: 'Where?' }));
      expect(refusal.code).toBe('VALIDATION_FAILED');
      expect(refusal.message).toContain('projectId');
      expect((await roaming.call('list_work_items', {})).isError ?? false).toBe(false);
    } finally {
      await roaming.close();
    }
  });
});
