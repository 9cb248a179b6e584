import { OperationError } from '@worktrack/contracts/errors';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { batchUpdateWorkItems as operation } from '@worktrack/contracts/work-items/changes/batch-update';
import { plainOf } from '@worktrack/contracts/work-items/plain-fields';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsForWrite } from '../boards/boards.repository.ts';
import { changedLabels } from '../boards/labels.ts';
import { differenceOf } from '../items/changes.ts';
import { findItems } from '../items/items.repository.ts';
import { assigneeMeant } from '../items/people.ts';
import { toSummary } from '../items/shown/present.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { changeItem } from '../writes/change-item.ts';
import { pickUser, withNames } from './update.ts';

type Context = GroupedContext<FailureOf<typeof operation>>;
type Given = Input<typeof operation>['items'][number];
type Item = Awaited<ReturnType<typeof findItems<'description' | 'metadata'>>>[number];

/** As many queries for 500 items as for one. */
export const batchUpdateWorkItems: WriteGrouped<typeof operation> = async ({ items: given }, context) => {
  const refs = given.map(({ id }) => id);
  const found = await findItems(context, refs, ['description', 'metadata']);
  const byRef = new Map(found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const boards = await boardsForWrite(context, found);
  const skipped: Output<typeof operation>['skipped'] = [];
  const done = new Map<string, Item>();
  let updatedCount = 0;
  for (const wanted of given) {
    const item = byRef.get(wanted.id);
    const board = item && boards.get(item.boardId);
    const fault = item && faultOf(item, wanted, done);
    if (!item || !board || fault !== undefined) {
      skipped.push({ id: wanted.id, reason: fault ?? 'There is no such work item.' });
      continue;
    }
    const after = changed(context, item, board, wanted);
    if (typeof after === 'string') skipped.push({ id: wanted.id, reason: after });
    else {
      done.set(item._id, after);
      if (after !== item) updatedCount++;
    }
  }
  const items = [...done.values()];
  return {
    updatedCount,
    items: items.map((item) => ({ ...toSummary(item, boards.get(item.boardId)), version: item.version })),
    skipped,
    ...warned(heldWarnings(items, context.caller.keyId)),
  };
};

function faultOf({ _id, version }: Item, wanted: Given, done: ReadonlyMap<string, Item>): string | undefined {
  if (done.has(_id)) return 'It is in the list twice.';
  if (wanted.version === undefined || wanted.version === version) return undefined;
  return `Somebody has changed it: its version is ${version}, not ${wanted.version}.`;
}

/** @returns why it cannot be changed so, or the item afterwards */
function changed(context: Context, item: Item, board: BoardRecord, wanted: Given): Item | string {
  const meant = wanted.assignee === undefined ? undefined : assigneeMeant(context, wanted.assignee);
  try {
    const labels = changedLabels(context, board, item, wanted);
    const { changes, described } = differenceOf(
      { ...item, description: '', metadata: {} },
      { ...plainOf(wanted), labels, assignee: meant?.assignee },
    );
    if (Object.keys(changes).length === 0) return item;
    const user = changes.assignee !== undefined && meant && pickUser(meant);
    const data = { changes: withNames(described, board) };
    return changeItem(context, item, board, { ...changes, ...user }, [{ type: 'work_item.updated', data }]);
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
}
