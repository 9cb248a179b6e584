import { z } from 'zod';
import { ids } from '../examples.ts';
import { ItemRef, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';

export const announcePresence = operation({
  name: 'workItems.announcePresence',
  summary:
    'Say that you look at a work item, and learn who else does. It holds for 12 s: repeat it as long as you look.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: z.strictObject({
    workItemId: ItemRef,
    /** You no longer look at it. */
    isLeaving: z.boolean().default(false),
  }),
  output: z.object({
    workItemId: RecordId,
    taskId: z.string(),
    /** The others, at most 50; none while Redis is unavailable. */
    people: z.array(z.object({ id: RecordId, name: z.string() })),
    /** When to repeat it. */
    repeatAfterSeconds: z.int(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14' },
    output: {
      ...{ workItemId: ids.task, taskId: 'W-T-14' },
      people: [{ id: ids.user, name: 'Ada' }],
      repeatAfterSeconds: 5,
    },
  },
  rest: 'PUT /api/work-items/:workItemId/presence',
});
