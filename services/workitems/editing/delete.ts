import type { deleteWorkItem as operation } from '@worktrack/contracts/work-items/changes/delete';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { removeAttachmentsOf } from '../attachments/attachments.repository.ts';
import { releaseContent } from '../attachments/content.repository.ts';
import { boardOf, boardsForWrite } from '../boards/boards.repository.ts';
import { dropBudget, moveSpending } from '../budgets/budgets.ts';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import { portions } from '../dependencies/dependents.ts';
import { foundBy } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import {
  childrenOf,
  dependentsWithLists,
  findItem,
  outlinesWithLists,
  requireItem,
} from '../items/items.repository.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { forgetItem } from '../search/search.repository.ts';
import { handDownSessions } from '../sessions/sessions.repository.ts';
import { leaveParent, loseParent, loseSome } from '../trees/parent.ts';
import { abandonSession } from '../writes/abandoned.ts';
import { changeItem, removeItem } from '../writes/change-item.ts';

/**
 * Children lose their parent, dependents their dependency, attachments are deleted, and the cost counts towards the parent; the history stays, and
 * ends here.
 */
export const deleteWorkItem: WriteGrouped<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.id);
  const { _id, taskId, title } = item;
  const others = await leftBehindBy(context, item);
  if (others.length > MAX_LEFT_AT_ONCE) {
    // The last go with the item: a task that has lost all children could be claimed until it is gone.
    const leaving = others.slice(0, -MAX_LEFT_AT_ONCE).map((other) => other._id);
    for (const some of portions(leaving, MAX_LEFT_AT_ONCE)) await leaveSome(context, _id, some);
    return deleteWorkItem(input, context);
  }
  const board = await boardOf(context, item);
  const { events: sessions } = abandonSession(context, item);
  await leaveParent(context, item.parentId);
  await leaveBehind(context, item, others);
  loseParent(context, item);
  const contentIds = (await removeAttachmentsOf(context, _id)).map(({ contentId }) => contentId);
  releaseContent(context, contentIds);
  if (item.parentId !== null) handDownSessions(context, _id, item.parentId);
  forgetItem(context, item);
  await moveSpending(context, item, []);
  await dropBudget(context, item);
  removeItem(context, item, board, [...sessions, { type: 'work_item.deleted', data: { taskId, title } }]);
  return { deleted: true, id: _id, ...warned(heldWarnings([item], context.caller.keyId)) };
};

/**
 * If an item has more children and dependents, so many leave at a time, each batch in a transaction of its own, before the item is deleted. One transaction
 * with tens of thousands of writes would outlast the call and hold up the database. If the call ends in between, a repetition goes on.
 */
const MAX_LEFT_AT_ONCE = 500;

type Other = Awaited<ReturnType<typeof dependentsWithLists>>[number];

/** Those that depend on it, all of them, and its children: all, or more than leave at once. An item that is both is there once. */
async function leftBehindBy(scope: Scope, { _id, taskId, projectId }: ItemRecord): Promise<Other[]> {
  const children = await childrenOf(scope, _id, 2 * MAX_LEFT_AT_ONCE);
  const dependents = await dependentsWithLists(scope, [_id, taskId]);
  const ofProject = dependents.filter((other) => other.projectId === projectId);
  const others = new Map<string, Other>([...ofProject, ...children].map((other) => [other._id, other]));
  others.delete(_id);
  return [...others.values()];
}

/** By their ids: all that depend on it are read once, and not for each of the transactions. */
async function leaveSome(context: GroupedContext<never>, id: string, ids: readonly string[]): Promise<void> {
  let first: Other | undefined;
  await commitAlone(
    async (transaction) => {
      const scope = { ...context, ...transaction };
      const item = await findItem(scope, id);
      const others = item ? await outlinesWithLists(scope, ids) : [];
      const leaving = others.filter(
        ({ parentId, dependsOn }) => parentId === id || dependsOn.some((ref) => ref === id || ref === item?.taskId),
      );
      first = leaving[0];
      if (!item || leaving.length === 0) return;
      await leaveBehind(scope, item, leaving);
      await loseSome(
        scope,
        item,
        leaving.filter(({ parentId }) => parentId === id),
      );
      await moveSpending(scope, item, []);
    },
    {
      deadlineAtMs: context.deadlineAtMs,
      // By this call or another one: the next look at the item shows what is left.
      isStored: async () => first === undefined || (await findItem(context, first._id))?.revision !== first.revision,
    },
  );
}

/**
 * No child or dependent can be added while the item is deleted. A child would be counted in the item, and a dependent would rely on it, but the item is deleted
 * only if unchanged since it was read. An item that is both is changed once.
 */
async function leaveBehind(scope: WriteScope, item: ItemRecord, others: readonly Other[]): Promise<void> {
  const { _id, taskId } = item;
  const boards = await boardsForWrite(scope, others);
  for (const other of others) {
    const isChild = other.parentId === _id;
    const board = boards.get(other.boardId);
    // It was deleted, and then its board, in between.
    if (!board) throw new Stale();
    const isDependent = other.dependsOn.includes(_id) || other.dependsOn.includes(taskId);
    const shorter = isDependent ? without(item, other, other.metadata?.dependsOn) : undefined;
    changeItem(
      scope,
      other,
      board,
      { ...(isChild && { parentId: null, foundBy: foundBy(other, null) }), ...shorter?.changes },
      [
        {
          type: 'work_item.updated',
          data: { changes: { ...(isChild && { parentId: { from: _id, to: null } }), ...shorter?.described } },
        },
      ],
    );
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
