import { z } from 'zod';
import { exampleTask } from '../examples.ts';
import { ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';
import { WorkItem } from './work-item.ts';

export const getWorkItem = operation({
  name: 'workItems.get',
  summary: 'Get a whole work item, with description, metadata and version.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ id: ItemRef }),
  output: WorkItem,
  errors: ['NOT_FOUND'],
  example: { input: { id: 'W-T-14' }, output: exampleTask('To Do') },
  rest: 'GET /api/work-items/:id',
  mcp: { tool: 'get_work_item', title: 'Get work item', names: { id: 'workItemId' } },
});
