import { z } from 'zod';
import { ids } from '../../examples.ts';
import { ItemRef, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { warnings } from '../../warnings.ts';

export const deleteWorkItem = operation({
  name: 'workItems.delete',
  summary: 'Delete a work item permanently. Its children stay, without a parent.',
  permissions: ['work-items:write'],
  effect: 'delete',
  input: z.strictObject({ id: ItemRef }),
  output: z.object({ deleted: z.literal(true), id: RecordId, ...warnings }),
  errors: ['NOT_FOUND'],
  example: { input: { id: 'W-T-14' }, output: { deleted: true, id: ids.task } },
  rest: 'DELETE /api/work-items/:id',
  mcp: { tool: 'delete_work_item', title: 'Delete work item', names: { id: 'workItemId' } },
});
