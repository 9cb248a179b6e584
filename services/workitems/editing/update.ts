import { isDeepStrictEqual } from 'node:util';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { updateWorkItem as operation } from '@worktrack/contracts/work-items/changes/update';
import { plainOf } from '@worktrack/contracts/work-items/plain-fields';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { columnAt, requireColumn } from '../boards/columns.ts';
import { changedLabels, labelsOf } from '../boards/labels.ts';
import { dropBudget, moveSpending } from '../budgets/budgets.ts';
import { requireVersion } from '../calls/version.ts';
import { cycleOf, type Waiting } from '../dependencies/cycle.ts';
import { requireNamed } from '../dependencies/required.ts';
import { passAsType } from '../gates/gates.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemChanges } from '../items/after-change.ts';
import { type Difference, differenceOf, type Editable } from '../items/changes.ts';
import { foundBy, type Named, newAbove } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { requireItem, sizeBelow } from '../items/items.repository.ts';
import { assigneeMeant, mentionsIn } from '../items/people.ts';
import { toWorkItem, versionOf } from '../items/shown/present.ts';
import { heldWarnings, keyWarnings, warned } from '../items/warnings.ts';
import { merged, metadataPatch } from '../metadata/metadata.ts';
import { byHand } from '../moves/by-hand.ts';
import { moveTo } from '../moves/move.ts';
import { indexAgain } from '../search/search.repository.ts';
import { followParent, requireParentFor, requireTypeForChildren } from '../trees/parent.ts';
import { countChildren } from '../trees/tree-writes.ts';
import { changeItem } from '../writes/change-item.ts';

type Context = GroupedContext<FailureOf<typeof operation>>;

/** Changes what is given and differs. If nothing differs, nothing is written and the version stays. */
export const updateWorkItem: WriteGrouped<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.id);
  const board = await boardOf(context, item);
  requireVersion(context, versionOf(item, board), input.version);
  const column = input.boardColumnId === undefined ? undefined : requireColumn(context, board, input.boardColumnId);
  const { parent, descendants } = await wantedParent(item, input, context);
  const { changes: differing, described } = differenceOf(item, wantedOf(input, item, parent, board, context));
  const newParent = differing.parentId === undefined ? undefined : (parent ?? null);
  if (differing.type) {
    await requireTypeForChildren(context, item, differing.type);
    await passAsType(context, item, differing.type, board, column ?? columnAt(board, item.boardColumnId));
  }
  const place = newParent === undefined ? {} : { foundBy: foundBy(item, newParent) };
  const named = await changedDependencies(context, item, differing, { ...item, ...place });
  if (newParent) await requireNoCycle(context, { ...item, ...place, ...named }, newAbove(item, newParent));
  const changes: ItemChanges = {
    ...differing,
    ...place,
    ...named,
    ...(differing.assignee !== undefined && pickUser(assigneeMeant(context, input.assignee))),
  };

  const mentions = mentionsIn(context, differing.description ?? '', item.description);
  const isChanged = Object.keys(changes).length > 0;
  const events: NewEvent[] = isChanged
    ? [{ type: 'work_item.updated', data: { changes: withNames(described, board), ...mentions } }]
    : [];
  let after = item;
  let warnings: readonly string[] = heldWarnings([item], context.caller.keyId);
  if (column && column.id !== item.boardColumnId) {
    const hand = await byHand(context, item, board, column, input);
    // Whoever names an assignee says what becomes of the one before.
    const told = changes.assignee === undefined ? [...hand.events, ...events] : events;
    const request = { ...hand, changes: { ...hand.changes, ...changes }, events: told };
    after = (await moveTo(context, item, board, column, request)).moved;
    warnings = after.lease ? warnings : hand.warnings;
  } else if (isChanged) {
    after = changeItem(context, item, board, changes, events);
  }
  if (newParent !== undefined) {
    await followParent(context, item, newParent, descendants);
    await moveSpending(context, item, newParent ? [newParent] : []);
  }
  if (after.type === 'task' || after.type === 'idea') await dropBudget(context, item);
  if (changes.title !== undefined || changes.description !== undefined) await indexAgain(context, after);
  return {
    ...toWorkItem(after, board),
    ...warned(keyWarnings(input.metadata), after === item ? [] : warnings),
  };
};

/** Nothing, where it is not known who is a user: then nobody has said otherwise. */
export const pickUser = ({ assigneeId }: Pick<ItemRecord, 'assigneeId'>) => ({ assigneeId: assigneeId ?? null });

/** Labels by their names: their ids say nothing once they are deleted. */
export function withNames(described: Difference['described'], board: BoardRecord): Difference['described'] {
  const { labels } = described;
  if (!labels) return described;
  const names = (ids: unknown) => labelsOf(board, ids as readonly string[] | undefined).map(({ name }) => name);
  return { ...described, labels: { from: names(labels.from), to: names(labels.to) } };
}

function wantedOf(
  input: Input<typeof operation>,
  item: ItemRecord,
  parent: ItemRecord | null | undefined,
  board: BoardRecord,
  context: Context,
): Partial<Editable> {
  const { title, description, type, assignee } = input;
  const patch = metadataPatch(input);
  return {
    title,
    description,
    type,
    ...plainOf(input),
    labels: changedLabels(context, board, item, input),
    assignee: assignee === undefined ? undefined : assigneeMeant(context, assignee).assignee,
    parentId: parent === null ? null : parent?._id,
    metadata: patch && merged(context, item.metadata, patch),
  };
}

interface WantedParent {
  /** undefined: unchanged. */
  readonly parent?: ItemRecord | null;
  readonly descendants: number;
}

async function wantedParent(
  item: ItemRecord,
  { parentId, type = item.type }: Input<typeof operation>,
  context: Context,
): Promise<WantedParent> {
  if (parentId === undefined) {
    if (type !== item.type && item.parentId !== null) {
      const parent = await requireItem(context, item.parentId);
      requireParentFor(context, { type, projectId: item.projectId }, parent);
      // It must still be the same when this is stored.
      countChildren(context, parent, 0);
    }
    return { descendants: 0 };
  }
  const { items: descendants, levels: levelsBelow } = await sizeBelow(context, item);
  if (parentId === null) return { parent: null, descendants };
  const parent = await requireItem(context, parentId);
  requireParentFor(context, { type, projectId: item.projectId, existing: { ...item, levelsBelow } }, parent);
  return { parent, descendants };
}

/** A parent is done only when everything below it is. So neither the item nor anything below it may wait for an item that waits for the new parent. */
async function requireNoCycle(context: Context, item: Waiting, above: readonly Named[]): Promise<void> {
  const { projectId } = item;
  const cycle = await cycleOf(context, { projectId, waiting: above, on: [item], unsaved: [item] });
  if (!cycle) return;
  const message = `${cycle.told}; change dependsOn of one of them first`;
  throw context.fail('VALIDATION_FAILED', `${message}.`, { details: [{ path: 'parentId', message }] });
}

async function changedDependencies(
  context: Context,
  item: ItemRecord,
  { metadata }: Partial<Editable>,
  { foundBy }: Pick<ItemRecord, 'foundBy'>,
): Promise<Pick<ItemChanges, 'dependsOn' | 'waitsFor' | 'onReturnedBase'>> {
  if (metadata === undefined) return {};
  const isWritten = {
    dependsOn: !isDeepStrictEqual(metadata.dependsOn, item.metadata.dependsOn) && metadata.dependsOn !== undefined,
    ideaId: !isDeepStrictEqual(metadata.ideaId, item.metadata.ideaId) && metadata.ideaId !== undefined,
  };
  const { projectId } = item;
  const named = await requireNamed(context, { projectId, existing: item, foundBy, metadata, isWritten });
  if (named) return { ...named, ...marksLeft(item, named.dependsOn) };
  if ('dependsOn' in metadata || item.dependsOn.length === 0) return {};
  return { dependsOn: [], waitsFor: [], ...marksLeft(item, []) };
}

/** What it no longer depends on, it no longer builds upon. */
function marksLeft({ onReturnedBase }: ItemRecord, dependsOn: readonly string[]): Pick<ItemChanges, 'onReturnedBase'> {
  if (!onReturnedBase) return {};
  return {
    onReturnedBase: onReturnedBase.filter(({ id, taskId }) => dependsOn.includes(id) || dependsOn.includes(taskId)),
  };
}
