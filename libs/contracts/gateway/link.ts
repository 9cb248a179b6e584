import { z } from 'zod';
import { ids } from '../examples.ts';
import { unlinkItem } from '../feedback/links.ts';
import { Id, ItemRef, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';

export const linkFeedback = operation({
  name: 'feedback.link',
  summary: 'Link a feedback item to an idea.',
  permissions: ['feedback:write', 'work-items:read'],
  effect: 'update',
  input: z.strictObject({ feedbackId: Id, workItemId: ItemRef }),
  output: z.object({
    linked: z.boolean(),
    feedbackId: RecordId,
    workItemId: RecordId,
    taskId: z.string(),
    /** How many feedback items are linked to that idea. */
    feedbackCount: z.int(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { feedbackId: ids.feedback, workItemId: 'W-I-3' },
    output: { linked: true, feedbackId: ids.feedback, workItemId: ids.idea, taskId: 'W-I-3', feedbackCount: 1 },
  },
  rest: 'POST /api/feedback/items/:feedbackId/links',
  mcp: { tool: 'link_feedback_to_idea_item', title: 'Link feedback to idea' },
});

export const unlinkFeedback = operation({
  name: 'feedback.unlink',
  summary:
    'Remove the link of a feedback item to an idea, also to a deleted idea. When its last link is removed, the status `linked` becomes `triaged`.',
  permissions: ['feedback:write', 'work-items:read'],
  effect: 'update',
  input: linkFeedback.input,
  output: unlinkItem.output,
  errors: ['NOT_FOUND'],
  example: {
    input: { feedbackId: ids.feedback, workItemId: 'W-I-3' },
    output: { linked: false, feedbackId: ids.feedback, workItemId: ids.idea, feedbackCount: 0 },
  },
  rest: 'DELETE /api/feedback/items/:feedbackId/links/:workItemId',
});
