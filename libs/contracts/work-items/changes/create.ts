import { z } from 'zod';
import { column, exampleTask, ids, times } from '../../examples.ts';
import { BoardId, ColumnRef, ItemRef, ProjectId } from '../../fields.ts';
import { MetadataInput } from '../../metadata.ts';
import { operation } from '../../operation.ts';
import { plainFields, UNLISTED_FIELDS } from '../plain-fields.ts';
import { CreatedItem, ItemType, itemFields } from '../work-item.ts';

export const createWorkItem = operation({
  name: 'workItems.create',
  summary: 'Create a work item in a given column.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({
    title: itemFields.title,
    description: itemFields.description.optional(),
    type: ItemType,
    ...plainFields.created,
    labels: itemFields.labels.optional(),
    boardId: BoardId,
    boardColumnId: ColumnRef,
    projectId: ProjectId.optional(),
    assignee: itemFields.assignee.optional(),
    parentId: ItemRef.optional().describe('task: any item; story: a feature; feature: an epic'),
    dependsOn: itemFields.dependsOn.optional().describe('Items to be handed over first'),
    ideaId: itemFields.ideaId.optional(),
    externalId: itemFields.externalId
      .optional()
      .describe('Unique in the project: an item that has it is returned unchanged'),
    metadata: MetadataInput.optional(),
  }),
  output: CreatedItem,
  errors: ['NOT_FOUND'],
  example: {
    input: {
      title: 'Add a dark colour scheme',
      type: 'task',
      priority: 'high',
      boardId: ids.board,
      boardColumnId: column('To Do'),
      parentId: 'W-S-9',
      description: 'Follow the system setting, and let people choose.',
      dependsOn: ['W-T-13'],
    },
    output: exampleTask('To Do', { version: 1, updatedAt: times.createdAt }),
  },
  rest: 'POST /api/work-items',
  mcp: { tool: 'create_work_item', title: 'Create work item', unlisted: ['labels', ...UNLISTED_FIELDS] },
});
