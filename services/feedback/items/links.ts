import {
  type feedbackByWorkItems,
  type linkedBefore as linkedBeforeOp,
  linkItem as linkOp,
  MAX_LINKED_FEEDBACK,
  MAX_LINKS,
  type unlinkItem as unlinkOp,
} from '@worktrack/contracts/feedback/links';
import type { Status } from '@worktrack/contracts/feedback/records';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { answerBefore } from '@worktrack/runtime/database/handlers/run-write';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { requireItem } from './inbox.ts';
import { changeItem, countLinked, itemsLinkedTo } from './items.repository.ts';

/** Linking is a triage step: items already settled stay as they are. */
const BECOMES_LINKED: readonly Status[] = ['new', 'triaged'];

export async function linkItem(
  { feedbackId, workItemId }: Input<typeof linkOp>,
  context: WriteContext<'NOT_FOUND' | 'CONFLICT'>,
): Promise<Output<typeof linkOp>> {
  const item = await requireItem(feedbackId, context);
  if (!item.linkedWorkItemIds.includes(workItemId)) {
    if (item.linkedWorkItemIds.length >= MAX_LINKS) {
      throw context.fail(
        'CONFLICT',
        `The feedback is linked to ${MAX_LINKS} ideas, which is the limit. Take one link back first: DELETE /api/feedback/items/:feedbackId/links/:workItemId.`,
        { reason: 'limit' },
      );
    }
    const status = BECOMES_LINKED.includes(item.status) ? 'linked' : item.status;
    await changeItem(context, feedbackId, { status, link: workItemId });
  }
  const feedbackCount = await countLinked(context, workItemId);
  return { linked: true, feedbackId, workItemId, feedbackCount };
}

export async function unlinkItem(
  { feedbackId, workItemId }: Input<typeof unlinkOp>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<Output<typeof unlinkOp>> {
  const item = await requireItem(feedbackId, context);
  if (item.linkedWorkItemIds.includes(workItemId)) {
    const isLast = item.linkedWorkItemIds.length === 1;
    const status = isLast && item.status === 'linked' ? 'triaged' : item.status;
    await changeItem(context, feedbackId, { status, unlink: workItemId });
  }
  return { linked: false, feedbackId, workItemId, feedbackCount: await countLinked(context, workItemId) };
}

export const linkedBefore: Read<typeof linkedBeforeOp> = async ({ idempotencyKey, link }, { caller }) => {
  return (await answerBefore(linkOp, { idempotencyKey, caller }, () => link)) ?? null;
};

export const feedbackOf: Read<typeof feedbackByWorkItems> = async ({ workItemIds }, context) => {
  const { items, total } = await itemsLinkedTo(context, workItemIds, MAX_LINKED_FEEDBACK);
  return {
    total,
    feedback: new AnswerBudget().take(
      items.map(({ id, status, category, createdAt, message, email, pageUrl }) => ({
        id,
        status,
        category,
        createdAt,
        untrustedText: { message, email, pageUrl },
      })),
    ),
  };
};
