import type {
  addWorkItemComment as comment,
  answerQuestion as operation,
} from '@worktrack/contracts/work-items/changes/comment';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { requireItem } from '../items/items.repository.ts';
import { isLive } from '../items/lease.ts';
import { mentionsIn } from '../items/people.ts';
import { indexSaid } from '../search/search.repository.ts';
import { recordOn } from '../writes/record-on.ts';

export const addWorkItemComment: WriteGrouped<typeof comment> = async ({ workItemId, text, leaseToken }, context) => {
  const item = await requireItem(context, workItemId);
  const { lease } = item;
  const isOwn = leaseToken !== undefined;
  if (isOwn && (!isLive(lease, new Date()) || lease.token !== leaseToken)) {
    throw context.fail(
      'CONFLICT',
      'The lease of leaseToken has ended. Read the item before you continue, or comment without leaseToken.',
    );
  }
  const scope =
    isOwn && lease ? { ...context, by: { agent: lease.agent, run: lease.run, model: lease.report?.model } } : context;
  await indexSaid(scope, item, text);
  const ofClaim = isOwn ? lease?.claimedAt : undefined;
  const data = { text, ...mentionsIn(context, text) };
  return { event: recordOn(scope, item, { type: 'work_item.commented', data, ofClaim }) };
};

/** A comment that says outright that it answers, and is refused where nobody would hear it. */
export const answerQuestion: WriteGrouped<typeof operation> = async ({ workItemId, text, question }, context) => {
  const item = await requireItem(context, workItemId);
  const { taskId, lease } = item;
  if (!isLive(lease, new Date()) || lease.state !== 'awaiting_input') {
    throw context.fail(
      'CONFLICT',
      `No agent waits for an answer on ${taskId}. Add a comment instead: whoever works on it can read it.`,
      { reason: 'nobody_asks' },
    );
  }
  if (question !== undefined && lease.question !== question) {
    const now = lease.question === undefined ? 'waits without a question' : `asks: ${JSON.stringify(lease.question)}`;
    throw context.fail('CONFLICT', `${lease.agent} does not ask that any more. It now ${now}.`, {
      reason: 'asked_anew',
    });
  }
  await indexSaid(context, item, text);
  const event = recordOn(context, item, {
    type: 'work_item.commented',
    data: { text, answer: true, ...mentionsIn(context, text) },
  });
  return { event, agent: lease.agent, question: lease.question ?? null };
};
