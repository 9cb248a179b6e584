import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { updateWorkItem as operation } from '@worktrack/contracts/work-items/update';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { requireColumn } from '../boards/columns.ts';
import type { NewEvent } from '../history/history.repository.ts';
import { indexItem } from '../search/search.repository.ts';
import { differenceOf, type Editable } from './changes.ts';
import { foundBy } from './found-by.ts';
import type { ItemRecord } from './items.model.ts';
import { changeItem, requireItem } from './items.repository.ts';
import { merged } from './metadata.ts';
import { boardOf, moveTo } from './move.ts';
import { followParent, requireParentFor, requireTypeForChildren } from './parent.ts';
import { toWorkItem } from './present.ts';

type Context = WriteContext<FailureOf<typeof operation>>;

/** Changes what is given and differs. Nothing that differs: nothing is written, the version stays. */
export async function updateWorkItem(
  input: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, input.id);
  const board = await boardOf(context, item);
  if (input.version !== undefined && input.version !== item.version) {
    const mayRead = context.caller.permissions.includes('work-items:read');
    throw context.fail(
      'CONFLICT',
      `${item.taskId} is at version ${item.version}, not ${input.version}: it has changed since you read it. ${mayRead ? 'Look at `current`, and repeat with its version.' : 'Read it, and repeat with its version.'}`,
      mayRead ? { current: toWorkItem(item, board) } : {},
    );
  }
  const column = input.boardColumnId === undefined ? undefined : requireColumn(context, board, input.boardColumnId);
  const parent = await wantedParent(item, input, context);
  const { changes: differing, described } = differenceOf(item, wantedOf(input, item, parent, context));
  const newParent = differing.parentId === undefined ? undefined : (parent ?? null);
  const changes = { ...differing, ...(newParent !== undefined && { foundBy: foundBy(item, newParent) }) };
  if (changes.type) await requireTypeForChildren(context, item, changes.type);

  const changed = Object.keys(changes).length > 0;
  const events: NewEvent[] = changed ? [{ eventType: 'updated', data: { changes: described } }] : [];
  let after = item;
  if (column && column.id !== item.boardColumnId) {
    after = (await moveTo(context, item, board, column, { changes, events })).moved;
  } else if (changed) {
    after = await changeItem(context, item._id, changes, events);
  }
  if (newParent !== undefined) await followParent(context, item, newParent);
  if (changes.title !== undefined || changes.description !== undefined) await indexItem(context, after);
  return toWorkItem(after, board);
}

function wantedOf(
  input: Input<typeof operation>,
  item: ItemRecord,
  parent: ItemRecord | null | undefined,
  context: Context,
): Partial<Editable> {
  const { title, description, type, priority, assignee, metadata } = input;
  return {
    title,
    description,
    type,
    priority,
    // An empty name is nobody, for clients that cannot send null.
    assignee: assignee === '' ? null : assignee,
    parentId: parent === null ? null : parent?._id,
    metadata: metadata && merged(context, item.metadata, metadata),
  };
}

async function wantedParent(
  item: ItemRecord,
  { parentId, type = item.type }: Input<typeof operation>,
  context: Context,
): Promise<ItemRecord | null | undefined> {
  if (parentId === null) return null;
  const child = { type, projectId: item.projectId, existing: item };
  if (parentId !== undefined) {
    const parent = await requireItem(context, parentId);
    await requireParentFor(context, child, parent);
    return parent;
  }
  if (type !== item.type && item.parentId !== null) {
    await requireParentFor(context, child, await requireItem(context, item.parentId));
  }
  return undefined;
}
