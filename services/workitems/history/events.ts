import type { getWorkItemEvents as operation } from '@worktrack/contracts/work-items/events';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { readCursor, unknownCursor, writeCursor } from '@worktrack/runtime/validation/cursor';
import { z } from 'zod';
import type { FailingScope } from '../calls/scope.ts';
import { findNamed } from '../items/shown/shown.repository.ts';
import { countEvents, deletedItem, latestEvents } from './history.repository.ts';

/** The revision and the id of the last event of a page. */
const Place = z.tuple([z.int(), z.uuid()]);

export const getWorkItemEvents: Read<typeof operation> = async ({ workItemId, eventType, limit, cursor }, context) => {
  const item = await itemOrMemory(context, workItemId);
  const { _id, taskId, title } = item;
  const list = [context.caller.organizationId, _id, eventType];
  const place = cursor === undefined ? undefined : readCursor(cursor, list, Place);
  if (cursor !== undefined && !place) throw unknownCursor(context.fail);
  const after = place && { value: place[0], id: place[1] };
  const found = await latestEvents(context, item, { eventType }, { limit: limit + 1, after });
  // Most histories are one page: only a longer one is counted.
  const isWhole = !after && found.length <= limit;
  const totalEvents = isWhole ? found.length : await countEvents(context, _id, { eventType });
  const budget = new AnswerBudget();
  const events = budget.take(found.slice(0, limit).map(({ event }) => event));
  const last = found[events.length - 1];
  const hasMore = events.length < found.length;
  return {
    ...{ workItemId: _id, taskId, title, totalEvents, events },
    nextCursor: hasMore && last ? writeCursor([last.place.value, last.place.id], list) : null,
    ...(budget.isTruncated && { truncated: true }),
  };
};

async function itemOrMemory(scope: FailingScope<'NOT_FOUND'>, ref: string) {
  const item = await findNamed(scope, ref);
  if (item) return item;
  // What is left of a deleted item does not say which project it was in.
  const deleted = scope.caller.projects ? undefined : await deletedItem(scope, ref);
  if (!deleted) throw scope.fail('NOT_FOUND', `There is no work item ${ref}, and there never was.`);
  return deleted;
}
