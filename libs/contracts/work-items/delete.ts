import { z } from 'zod';
import { ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteWorkItem = operation({
  name: 'workItems.delete',
  summary: 'Delete a work item for good. Its children stay, without a parent.',
  permission: 'work-items:write',
  effect: 'delete',
  input: z.strictObject({ id: ItemRef }),
  output: z.object({ deleted: z.literal(true), id: z.string() }),
  errors: ['NOT_FOUND'],
  rest: 'DELETE /api/work-items/:id',
  mcp: { tool: 'delete_work_item', title: 'Delete work item' },
});
