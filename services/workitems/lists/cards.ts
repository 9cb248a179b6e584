import { isUuid, pagination } from '@worktrack/contracts/fields';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { listCards as operation } from '@worktrack/contracts/work-items/lists/cards';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { requireBoard } from '../boards/boards.repository.ts';
import type { Scope } from '../calls/scope.ts';
import { findOutlines } from '../items/items.repository.ts';
import { presentedSummaries } from '../items/present.ts';
import type { ListedItem } from '../items/views.ts';
import { formatDollars } from '../sessions/price.ts';
import { costsOf } from '../sessions/sessions.repository.ts';
import { whereOf } from './filter.ts';
import { pageOfList } from './list.ts';
import { listedItems } from './listed-items.repository.ts';
import { holds } from './where.ts';

type Context = ReadContext<FailureOf<typeof operation>>;

export async function listCards(
  { id, ids, boardColumnId, ...given }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const board = await requireBoard(context, id);
  const list = {
    ...given,
    boardColumnId: boardColumnId === undefined ? undefined : [boardColumnId],
    ...{ boardId: board._id, projectId: board.projectId },
  };
  if (!ids) {
    const { rows, ...page } = await pageOfList({ ...list, page: 1 }, context);
    return { cards: await cardsOf(context, rows), ...page };
  }
  for (const path of ['search', 'cursor'] as const) {
    if (given[path] === undefined) continue;
    const message = 'cannot be combined with ids';
    throw context.fail('VALIDATION_FAILED', `${path} ${message}.`, { details: [{ path, message }] });
  }
  const where = await whereOf(context, list, undefined);
  const rows = (await listedItems(context, ids)).filter((item) => item.boardId === board._id && holds(where, item));
  return {
    cards: await cardsOf(context, rows),
    pagination: pagination(1, ids.length, rows.length),
    nextCursor: null,
  };
}

async function cardsOf(context: Scope, rows: readonly ListedItem[]): Promise<Output<typeof operation>['cards']> {
  const ids = rows.map(({ _id }) => _id);
  const dependencies = new Set(rows.flatMap(({ waitsFor }) => waitsFor).filter(isUuid));
  const [summaries, costs, blocking] = await Promise.all([
    presentedSummaries(context, rows),
    costsOf(context.caller.organizationId, ids),
    findOutlines(context, [...dependencies]),
  ]);
  const taskIds = new Map(blocking.map(({ _id, taskId }) => [_id, taskId]));
  return rows.map(({ _id, version, position, waitsFor }, at) => ({
    ...(summaries[at] as (typeof summaries)[number]),
    version,
    position,
    blockedBy: waitsFor.map((reference) => taskIds.get(reference) ?? reference),
    estimatedCost: formatDollars(costs.get(_id) ?? 0),
  }));
}
