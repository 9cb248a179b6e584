import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getWorkItemEvents as operation } from '@worktrack/contracts/work-items/events';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import type { FailingScope } from '../calls/scope.ts';
import { findNamed } from '../items/shown/shown.repository.ts';
import { countEvents, deletedItem, latestEvents } from './history.repository.ts';

export async function getWorkItemEvents(
  { workItemId, eventType, limit }: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { id, taskId, title } = await itemOrMemory(context, workItemId);
  const [events, totalEvents] = await Promise.all([
    latestEvents(context, id, { eventType }, limit),
    countEvents(context, id, { eventType }),
  ]);
  const budget = new AnswerBudget();
  const fitting = budget.take(events);
  return {
    ...{ workItemId: id, taskId, title, totalEvents, events: fitting },
    ...(budget.isTruncated && { truncated: true }),
  };
}

async function itemOrMemory(scope: FailingScope<'NOT_FOUND'>, ref: string) {
  const item = await findNamed(scope, ref);
  if (item) return { id: item._id, taskId: item.taskId, title: item.title };
  // What is left of a deleted item does not say which project it was in.
  const deleted = scope.caller.projects ? undefined : await deletedItem(scope, ref);
  if (!deleted) throw scope.fail('NOT_FOUND', `There is no work item ${ref}, and there never was.`);
  return deleted;
}
