import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { CLIENT_KINDS, connectMcp, type McpClient, refusalOf } from './connect.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

describe.each(CLIENT_KINDS)('today’s clients work with the endpoint: %s', (kind) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectMcp(kind, system.baseUrl, organization.apiKey, organization.projectId);
  });
  afterAll(() => client.close());

  test('lists the tools', async () => {
    const names = (await client.tools()).map(({ name }) => name);
    expect(names).toContain('list_work_items');
    expect(names).toEqual([...new Set(names)]);
  });

  test('creates, finds, moves and deletes an item', async () => {
    const title = `Item ${randomUUID()}`;
    const created = await client.call('create_task', { title });
    const item = created.structuredContent as { id: string; taskId: string; projectId: string; columnName: string };
    expect(item).toMatchObject({ title, projectId: organization.projectId, columnName: 'Backlog' });
    const moved = await client.call('move_work_item', {
      workItemId: item.taskId,
      boardColumnId: organization.columns['In Progress'],
    });
    expect(moved.structuredContent).toMatchObject({ fromColumn: 'Backlog', toColumn: 'In Progress' });
    const listed = await client.call('list_work_items', { search: title });
    expect(listed.structuredContent?.workItems).toMatchObject([{ id: item.id, columnName: 'In Progress' }]);
    const deleted = await client.call('delete_work_item', { workItemId: item.id });
    expect(deleted.structuredContent).toEqual({ deleted: true, id: item.id });
  });

  test('the text of a result is its structured content as compact JSON', async () => {
    const { content, structuredContent, isError } = await client.call('list_work_items', { limit: 2 });
    expect(isError ?? false).toBe(false);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });

  test('a refusal is a result that names what to change', async () => {
    const refusal = refusalOf(await client.call('list_work_items', { limit: 500, serach: 'x' }));
    expect(refusal.code).toBe('VALIDATION_FAILED');
    // Said once: the details only point at what the message explains.
    expect(refusal.message).toBe('limit: must be at most 100; serach: is not a known field; did you mean search?');
    expect(refusal.details).toEqual([{ path: 'limit' }, { path: 'serach' }]);
  });

  test('a tool takes one thing by two of its names, if they say the same', async () => {
    const made = await client.call('create_task', { title: 'Twice named' });
    const { id } = made.structuredContent as { id: string };
    const twice = await client.call('get_work_item', { id, workItemId: id });
    expect(twice.structuredContent).toMatchObject({ id });
    const refusal = refusalOf(await client.call('update_work_item', { id, workItemId: 'W-T-1', title: 'Which?' }));
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'workItemId' }] });
    expect(refusal.message).toBe('workItemId: is also given as id, with another value; pass only workItemId.');
  });

  test('an unknown tool is a protocol error that suggests the nearest', async () => {
    await expect(client.call('list_workitems')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('list_work_items'),
    });
  });

  test('a write with an idempotency key in _meta takes effect once', async () => {
    const args = { title: `Once ${randomUUID()}` };
    const meta = { 'worktrack/idempotencyKey': randomUUID() };
    const first = await client.call('create_task', args, meta);
    const second = await client.call('create_task', args, meta);
    expect(second.structuredContent).toEqual(first.structuredContent);
    expect(second._meta?.['worktrack/idempotencyReplayed']).toBe(true);
    const other = await client.call('create_task', { title: 'Another' }, meta);
    expect(refusalOf(other).code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
