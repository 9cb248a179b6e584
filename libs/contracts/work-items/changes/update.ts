import { z } from 'zod';
import { exampleTask } from '../../examples.ts';
import { ColumnRef, ItemRef } from '../../fields.ts';
import { MetadataInput } from '../../metadata.ts';
import { operation } from '../../operation.ts';
import { byHand, forcedBy } from '../by-hand.ts';
import { plainFields, UNLISTED_FIELDS } from '../plain-fields.ts';
import { ExpectedVersion, ItemType, itemFields, labelChanges, WrittenItem } from '../work-item.ts';

export const updateWorkItem = operation({
  name: 'workItems.update',
  summary: 'Change the given fields of a work item. Metadata is deep-merged; null removes a key.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    id: ItemRef,
    title: itemFields.title.optional(),
    description: itemFields.description.optional(),
    type: ItemType.optional(),
    ...plainFields.changed,
    labels: itemFields.labels.optional().describe('Replaces the list'),
    ...labelChanges,
    assignee: itemFields.assignee.nullable().optional(),
    boardColumnId: ColumnRef.optional().describe('Name or UUID; moves the item'),
    parentId: ItemRef.nullable().optional().describe('null unlinks'),
    dependsOn: itemFields.dependsOn.optional().describe('Replaces the list'),
    ideaId: itemFields.ideaId.nullable().optional(),
    metadata: MetadataInput.optional(),
    version: ExpectedVersion.optional().describe('The version you read: CONFLICT if it has changed'),
    ...byHand,
  }),
  output: WrittenItem,
  errors: ['NOT_FOUND', 'CONFLICT'],
  ...forcedBy,
  example: {
    input: { id: 'W-T-14', priority: 'urgent', dependsOn: [], version: 3 },
    output: exampleTask('To Do', { priority: 'urgent', metadata: { dependsOn: [] }, version: 4 }),
  },
  rest: 'PATCH /api/work-items/:id',
  mcp: {
    tool: 'update_work_item',
    title: 'Update work item',
    names: { id: 'workItemId' },
    unlisted: ['labels', 'addLabels', 'removeLabels', ...UNLISTED_FIELDS],
    description: 'To change only its column: move_work_item; to hand over finished work: complete_ai_task.',
  },
});
