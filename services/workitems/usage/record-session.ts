import {
  DEFAULT_REVIEW_PROVIDER,
  type recordAiSession as operation,
} from '@worktrack/contracts/work-items/costs/sessions';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardOf } from '../boards/boards.repository.ts';
import { requireItem } from '../items/items.repository.ts';
import { recordOn } from '../writes/record-on.ts';
import { requireSameItem } from './same-item.ts';
import { keepSession } from './session.ts';

export const recordAiSession: WriteGrouped<typeof operation> = async (input, context) => {
  // The contract requires one of the two.
  const item = await requireItem(context, (input.workItemId ?? input.taskId) as string);
  requireSameItem(context, item, input.taskId);
  // What is known about the project's budgets is checked against the board's version.
  await boardOf(context, item);
  const { session, event } = await keepSession(context, item, { ...input, otherwise: DEFAULT_REVIEW_PROVIDER });
  recordOn(context, item, event);
  const { id, estimatedCost, costBasis, totalTokens } = session;
  return { sessionId: id, workItemId: item._id, estimatedCost, costBasis, totalTokens };
};
