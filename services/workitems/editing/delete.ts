import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { deleteWorkItem as operation } from '@worktrack/contracts/work-items/changes/delete';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { removeAttachmentsOf } from '../attachments/attachments.repository.ts';
import { releaseContent } from '../attachments/content.repository.ts';
import { boardOf, boardsForWrite } from '../boards/boards.repository.ts';
import { dropBudget, moveSpending } from '../budgets/budgets.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { childrenOf, dependentsWithLists, requireItem } from '../items/items.repository.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { forgetItem } from '../search/search.repository.ts';
import { handDownSessions } from '../sessions/sessions.repository.ts';
import { leaveParent, loseParent } from '../trees/parent.ts';
import { abandonSession } from '../writes/abandoned.ts';
import { changeItem, removeItem } from '../writes/change-item.ts';

/**
 * Children lose their parent, dependents their dependency, attachments are deleted, and the cost counts towards the parent; the history stays, and
 * ends here.
 */
export async function deleteWorkItem(
  { id }: Input<typeof operation>,
  context: GroupedContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, id);
  const { _id, taskId, title } = item;
  const board = await boardOf(context, item);
  const { events: sessions } = abandonSession(context, item);
  await leaveParent(context, item.parentId);
  await leaveBehind(context, item);
  loseParent(context, item);
  const contentIds = (await removeAttachmentsOf(context, _id)).map(({ contentId }) => contentId);
  releaseContent(context, contentIds);
  if (item.parentId !== null) handDownSessions(context, _id, item.parentId);
  forgetItem(context, item);
  await moveSpending(context, item, []);
  await dropBudget(context, item);
  removeItem(context, item, board, [...sessions, { type: 'work_item.deleted', data: { taskId, title } }]);
  return { deleted: true, id: _id, ...warned(heldWarnings([item], context.caller.keyId)) };
}

/**
 * None can be added meanwhile: a child would be counted in the item, a dependent would rely on it, and it is deleted only if unchanged since it was read.
 * An item that is both is changed once.
 */
async function leaveBehind(context: GroupedContext<never>, item: ItemRecord): Promise<void> {
  const { _id, taskId, projectId } = item;
  const children = await childrenOf(context, [_id]);
  const dependents = await dependentsWithLists(context, [_id, taskId]);
  const others = new Map([...children, ...dependents].map((other) => [other._id, other]));
  others.delete(_id);
  const boards = await boardsForWrite(
    context,
    [...others.values()].map(({ boardId }) => boardId),
  );
  const lists = new Map(
    dependents.filter((other) => other.projectId === projectId).map((other) => [other._id, other.metadata?.dependsOn]),
  );
  for (const other of others.values()) {
    const isChild = other.parentId === _id;
    if (!isChild && !lists.has(other._id)) continue;
    const board = boards.get(other.boardId);
    // It was deleted, and then its board, in between.
    if (!board) throw new Stale();
    const shorter = lists.has(other._id) ? without(item, other, lists.get(other._id)) : undefined;
    changeItem(context, other, board, { ...(isChild && { parentId: null }), ...shorter?.changes }, [
      {
        type: 'work_item.updated',
        data: { changes: { ...(isChild && { parentId: { from: _id, to: null } }), ...shorter?.described } },
      },
    ]);
  }
}

/** A list of dependencies without the item. @param written as stored in the metadata */
function without(
  { _id, taskId }: ItemRecord,
  { dependsOn, waitsFor, onReturnedBase }: Pick<ItemRecord, 'dependsOn' | 'waitsFor' | 'onReturnedBase'>,
  written: unknown,
) {
  const isOther = (ref: string) => ref !== _id && ref !== taskId;
  const left = Array.isArray(written)
    ? written.filter((entry) => dependenciesOf({ dependsOn: [entry] }).every(isOther))
    : [];
  return {
    changes: {
      dependsOn: dependsOn.filter(isOther),
      waitsFor: waitsFor.filter(isOther),
      ...(onReturnedBase && { onReturnedBase: onReturnedBase.filter(({ id }) => isOther(id)) }),
      'metadata.dependsOn': left,
    },
    described: { metadata: { from: { dependsOn: written }, to: { dependsOn: left } } },
  };
}
