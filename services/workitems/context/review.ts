import { truncated } from '@worktrack/contracts/truncation';
import type { getReviewContext as operation, PlacedItem } from '@worktrack/contracts/work-items/agents/context';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { toListed } from '../attachments/attachments.repository.ts';
import { columnIn, columnOfRole } from '../boards/columns.ts';
import { AFTER_REVIEW } from '../boards/progress.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import { requireItem } from '../items/items.repository.ts';
import { toWorkItem } from '../items/shown/present.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { boardMap } from './board-map.ts';
import { surroundings } from './outline.repository.ts';
import { toPlaced } from './present.ts';

/** What a reviewer needs to see, and where a pass and a fail lead. */
export const getReviewContext: Read<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.taskId);
  const named = dependenciesOf(item.metadata);
  const { items, boards, attachments } = await surroundings(
    context,
    { named, childrenOf: item.parentId ? [item.parentId] : [], below: input.featureReview ? [item._id] : [] },
    [item.projectId],
    { attachmentsOf: item._id },
  );
  const isDependency = new Set(named);
  const dependencies = items.filter(
    ({ _id, taskId, projectId }) => projectId === item.projectId && (isDependency.has(_id) || isDependency.has(taskId)),
  );
  const siblings = items.filter(({ parentId }) => parentId !== null && parentId === item.parentId);
  const below = input.featureReview ? itemsBelow(items, item._id) : [];
  const placed = (outlines: readonly PlannedItem[]): PlacedItem[] =>
    outlines.map((outline) => toPlaced(outline, boards));

  const board = boards.get(item.boardId);
  // It was deleted, and then its board, in between.
  if (!board) throw new Stale();
  const { inProgressColumnId, reviewColumnId } = boardMap(board);
  const all = {
    dependencies: placed(dependencies),
    siblings: placed(siblings.filter(({ _id }) => _id !== item._id)),
    children: placed(below.filter((child) => columnIn(boards, child).role === 'review')),
    attachments: attachments.toSorted((a, b) => (a._id < b._id ? -1 : 1)).map(toListed),
  };
  const budget = new AnswerBudget();
  return {
    item: toWorkItem(item, board),
    routing: {
      passColumnId: columnOfRole(board, ...AFTER_REVIEW)?.id ?? null,
      failColumnId: inProgressColumnId,
      reviewColumnId,
    },
    dependencies: budget.take(all.dependencies),
    children: budget.take(all.children),
    attachments: budget.take(all.attachments),
    siblings: budget.take(all.siblings),
    latestReview: reviewOf(item.metadata.review),
    ...truncated(budget.isTruncated, all),
  };
};

function itemsBelow(items: readonly PlannedItem[], id: string): PlannedItem[] {
  const children = Map.groupBy(items, ({ parentId }) => parentId);
  const found = [...(children.get(id) ?? [])];
  for (const item of found) found.push(...(children.get(item._id) ?? []));
  return found;
}

/** Metadata is free-form: anything might be there. */
function reviewOf(review: unknown): Record<string, unknown> | null {
  return typeof review === 'object' && review !== null && !Array.isArray(review) ? { ...review } : null;
}
