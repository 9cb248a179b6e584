import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { deleteWorkItem as operation } from '@worktrack/contracts/work-items/delete';
import type { GroupedContext } from '@worktrack/runtime/database/implement';
import { removeAttachmentsOf } from '../attachments/attachments.repository.ts';
import { releaseContent } from '../attachments/content.repository.ts';
import { boardOf, boardsForWrite } from '../boards/boards.repository.ts';
import { columnName } from '../boards/columns.ts';
import { isHandedOver } from '../boards/progress.ts';
import { followCrossings } from '../dependencies/dependents.ts';
import { forgetItem } from '../search/search.repository.ts';
import { leaveParent, loseParent } from '../trees/parent.ts';
import { handDownSessions } from '../usage/sessions.repository.ts';
import { changeItem, removeItem } from './item-writes.ts';
import { childrenOf, requireItem } from './items.repository.ts';

/** Children lose their parent, attachments go, what the work cost counts for the parent; the history stays, and ends here. */
export async function deleteWorkItem(
  { id }: Input<typeof operation>,
  context: GroupedContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, id);
  const { _id, taskId, title } = item;
  const board = await boardOf(context, item);
  await orphanChildren(context, _id);
  loseParent(context, item);
  await leaveParent(context, item.parentId);
  const contentIds = (await removeAttachmentsOf(context, _id)).map(({ contentId }) => contentId);
  releaseContent(context, contentIds);
  if (item.parentId !== null) handDownSessions(context, _id, item.parentId);
  forgetItem(context, item);
  // Who depends on it depends on nothing that there is, from now on.
  if (isHandedOver(columnName(board, item.boardColumnId))) {
    await followCrossings(context, [{ item, isHandedOver: false }], []);
  }
  removeItem(context, item, board, { eventType: 'deleted', data: { taskId, title } });
  return { deleted: true, id: _id };
}

/** None can be added meanwhile: that would be counted in the item, which is deleted only as it was read. */
async function orphanChildren(context: GroupedContext<never>, parentId: string): Promise<void> {
  const children = await childrenOf(context, [parentId]);
  const boards = await boardsForWrite(
    context,
    children.map(({ boardId }) => boardId),
  );
  for (const child of children) {
    const board = boards.get(child.boardId);
    if (!board) throw new Error(`Board ${child.boardId} of work item ${child._id} is gone.`);
    changeItem(context, child, board, { parentId: null }, [
      { eventType: 'updated', data: { changes: { parentId: { from: parentId, to: null } } } },
    ]);
  }
}
