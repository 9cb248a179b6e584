import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getReviewContext as operation, PlacedItem } from '@worktrack/contracts/work-items/context';
import type { ReadContext } from '@worktrack/runtime/implement';
import { attachmentsOf, toAttachment } from '../attachments/attachments.repository.ts';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName } from '../boards/columns.ts';
import { requireItem } from '../items/items.repository.ts';
import { toWorkItem } from '../items/present.ts';
import { boardMap } from './board-map.ts';
import { dependenciesOf } from './dependencies.ts';
import { type Outline, outlinesBelow, outlinesOf } from './outline.repository.ts';
import { toPlaced } from './present.ts';

/** What a reviewer looks at, and where a pass and a fail lead. */
export async function getReviewContext(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, input.taskId);
  const below = input.featureReview ? await outlinesBelow(context, [item._id]) : [];
  const siblings = item.parentId === null ? [] : await outlinesBelow(context, [item.parentId], 1);
  const dependencies = await outlinesOf(context, dependenciesOf(item.metadata), item.projectId);
  const attachments = await attachmentsOf(context, item._id);
  const boards = await boardsById(
    context,
    [item, ...below, ...siblings, ...dependencies].map(({ boardId }) => boardId),
  );
  const placed = (outlines: readonly Outline[]): PlacedItem[] =>
    outlines.map((outline) => toPlaced(outline, columnName(boards.get(outline.boardId), outline.boardColumnId)));

  const board = boards.get(item.boardId);
  if (!board) throw new Error(`Board ${item.boardId} of work item ${item._id} is gone.`);
  const { inProgressColumnId, reviewColumnId, columns } = boardMap(board);
  return {
    item: toWorkItem(item, board),
    routing: {
      passColumnId: columns.find(({ name }) => name === 'Testing')?.id ?? null,
      failColumnId: inProgressColumnId,
      reviewColumnId,
    },
    dependencies: placed(dependencies),
    siblings: placed(siblings.filter(({ _id }) => _id !== item._id)),
    children: placed(below).filter((child) => child.columnName === 'Review'),
    attachments: attachments.map(toAttachment),
    latestReview: reviewOf(item.metadata.review),
  };
}

/** Metadata is free-form: somebody may have put something else there. */
function reviewOf(review: unknown): Record<string, unknown> | null {
  return typeof review === 'object' && review !== null && !Array.isArray(review) ? { ...review } : null;
}
