import { OperationError } from '@worktrack/contracts/errors';
import type { linkFeedback as operation, unlinkFeedback as unlinkOperation } from '@worktrack/contracts/gateway/link';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getItemBrief } from '@worktrack/contracts/work-items/agents/lineage';
import type { Composition, CompositionContext } from './composition.ts';

type Context = CompositionContext<FailureOf<typeof operation>>;

/**
 * The work items service says whether the item is an idea, then the feedback service records the link. That is a single write, so there is nothing to undo. A
 * repeated call finds it done, even if the idea has been deleted since.
 */
export const linkFeedback: Composition<typeof operation> = async (input, context) => {
  const { clients, options, fail } = context;
  const { feedbackId, workItemId } = input;
  let item: Output<typeof getItemBrief>;
  try {
    item = await clients.workitems.call('workItems.brief', { id: workItemId }, reading(context));
  } catch (error) {
    const earlier = isNotFound(error) && (await linkedBefore(input, context));
    if (!earlier) throw error;
    return { output: earlier, replayed: true };
  }
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

/** Found in its history, since a deleted idea is still linked. */
export const unlinkFeedback: Composition<typeof unlinkOperation> = async ({ feedbackId, workItemId }, context) => {
  const { clients, options } = context;
  const idea = await clients.workitems.call('workItems.events', { workItemId, limit: 1 }, reading(context));
  return await clients.feedback.exchange('feedback.unlinkItem', { feedbackId, workItemId: idea.workItemId }, options);
};

/** The history of a deleted item still has its name. */
async function linkedBefore(
  { feedbackId, workItemId }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation> | undefined> {
  const { clients, options } = context;
  const { idempotencyKey } = options;
  if (idempotencyKey === undefined) return undefined;
  try {
    const item = await clients.workitems.call('workItems.events', { workItemId, limit: 1 }, reading(context));
    const link = { feedbackId, workItemId: item.workItemId };
    const answer = await clients.feedback.call('feedback.linkedBefore', { idempotencyKey, link }, reading(context));
    return answer ? { ...answer, taskId: item.taskId } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function reading({ options: { idempotencyKey: _, ...reading } }: Pick<Context, 'options'>): Context['options'] {
  return reading;
}

const isNotFound = (error: unknown) => error instanceof OperationError && error.code === 'NOT_FOUND';
