import { z } from 'zod';
import { exampleTask } from '../examples.ts';
import { Id, ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';
import { MetadataInput } from './metadata.ts';
import { ExpectedVersion, ItemType, itemFields, Priority, WorkItem } from './work-item.ts';

export const updateWorkItem = operation({
  name: 'workItems.update',
  summary: 'Change the given fields of a work item. Metadata is merged deeply; null removes a key.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    id: ItemRef,
    title: itemFields.title.optional(),
    description: itemFields.description.optional(),
    type: ItemType.optional(),
    priority: Priority.optional(),
    assignee: itemFields.assignee.nullable().optional(),
    boardColumnId: Id.optional().describe('Moves the item'),
    parentId: ItemRef.nullable().optional().describe('null unlinks'),
    metadata: MetadataInput.optional(),
    version: ExpectedVersion.optional().describe('The version that you read: CONFLICT if it has changed'),
  }),
  output: WorkItem,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { id: 'W-T-14', priority: 'urgent', metadata: { dependsOn: null }, version: 3 },
    output: exampleTask('To Do', { priority: 'urgent', metadata: {}, version: 4 }),
  },
  rest: 'PATCH /api/work-items/:id',
  mcp: { tool: 'update_work_item', title: 'Update work item' },
});
