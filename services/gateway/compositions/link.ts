import type { linkFeedback as operation } from '@worktrack/contracts/gateway/link';
import type { Composition } from './composition.ts';

/**
 * The service of work items says whether the item is an idea, then the feedback service notes the link: one write, so there is nothing to undo, and a
 * repeated call finds it done.
 */
export const linkFeedback: Composition<typeof operation> = async (
  { feedbackId, workItemId },
  { clients, options, fail },
) => {
  const { idempotencyKey: _, ...reading } = options;
  const item = await clients.workitems.call('workItems.brief', { id: workItemId }, reading);
  if (item.type !== 'idea') {
    const article = /^[aeiou]/.test(item.type) ? 'an' : 'a';
    throw fail('VALIDATION_FAILED', `${item.taskId} is ${article} ${item.type}; feedback is linked to ideas only.`, {
      details: [{ path: 'workItemId', message: 'must be a work item of type idea' }],
    });
  }
  const { output, replayed } = await clients.feedback.exchange(
    'feedback.linkItem',
    { feedbackId, workItemId: item.id },
    options,
  );
  return { output: { ...output, taskId: item.taskId }, replayed };
};
