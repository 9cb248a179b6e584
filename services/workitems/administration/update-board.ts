import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { updateBoard as operation } from '@worktrack/contracts/projects/board-operations';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { differencesOf } from '@worktrack/runtime/database/outbox/differences';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { requireBoard, saveBoard, tellOfBoard, toBoard } from '../boards/boards.repository.ts';
import { columnById } from '../boards/columns.ts';
import { countsOf, holdColumns } from '../boards/tallies.repository.ts';
import type { FailingScope } from '../calls/scope.ts';
import { requireVersion } from '../calls/version.ts';
import { followChangedColumns } from '../dependencies/follow-columns.ts';
import { warned } from '../items/warnings.ts';
import { lackingRoles, newColumn } from './board-columns.ts';

type Context = WriteContext<FailureOf<typeof operation>>;

export const updateBoard: WriteAlone<typeof operation> = async ({ id, name, columns: wanted, version }, context) => {
  if (wanted) await holdColumns(context, { boardId: id });
  const board = await requireBoard(context, id);
  requireVersion(
    context,
    {
      ...{ name: `Board "${board.name}"`, version: board.revision ?? 0, permission: 'projects:read' },
      current: () => toBoard(board),
    },
    version,
  );
  const columns = wanted && columnsAfter(context, board, wanted);
  if (!columns) return changed(context, board, { ...(name && { name }) });
  const kept = new Set(columns.map((column) => column.id));
  const removed = board.columns.filter((column) => !kept.has(column.id));
  if (removed.length > 0) await requireEmpty(context, board, removed);
  const after: BoardRecord = { ...board, columns, columnsVersion: board.columnsVersion + 1 };
  await followChangedColumns(context, [{ before: board, after }]);
  const { columnsVersion } = after;
  return changed(context, board, { ...(name && { name }), columns, columnsVersion });
};

async function changed(
  context: Context,
  before: BoardRecord,
  set: Parameters<typeof saveBoard>[2],
): Promise<Output<typeof operation>> {
  const after = await saveBoard(context, before._id, set);
  const { version: _, ...changes } = differencesOf(toBoard(before), toBoard(after));
  if (Object.keys(changes).length > 0) tellOfBoard(context, after, 'board.updated', { changes });
  const lacking = set.columns && lackingRoles(set.columns);
  return { ...toBoard(after), ...warned(lacking ? [`The board ${lacking}.`] : []) };
}

function columnsAfter(
  { fail }: Context,
  board: BoardRecord,
  wanted: NonNullable<Input<typeof operation>['columns']>,
): ColumnRecord[] {
  const taken = new Set<string>();
  return wanted.map(({ id, name, role, limit }, index) => {
    if (id === undefined) return { id: uuidv7(), ...newColumn({ name, role, limit }) };
    const before = columnById(board, id);
    const fault = taken.has(id)
      ? 'names a column that is already in the list'
      : before
        ? undefined
        : `must be a column of board "${board.name}"; leave the id out for a new column`;
    if (fault) {
      const path = `columns.${index}.id`;
      throw fail('VALIDATION_FAILED', `${path} ${fault}.`, { details: [{ path, message: fault }] });
    }
    taken.add(id);
    // A new name does not make it another step of the work.
    return {
      ...{ id, name, role: role === undefined && before ? before.role : (role ?? null) },
      limit: limit === undefined ? (before?.limit ?? null) : limit,
    };
  });
}

/** Nothing can put an item into one of them meanwhile: that would write one of the tallies that this transaction has written. */
async function requireEmpty(
  scope: FailingScope<'CONFLICT'>,
  board: BoardRecord,
  removed: readonly ColumnRecord[],
): Promise<void> {
  const counts = await countsOf(scope, { boardId: board._id });
  for (const { id, name } of removed) {
    const count = counts.get(id) ?? 0;
    if (count > 0) {
      const items = count === 1 ? '1 work item' : `${count} work items`;
      throw scope.fail(
        'CONFLICT',
        `Column "${name}" holds ${items}. Move them to another column before you remove it; to keep it, pass its id in columns.`,
        { reason: 'not_empty' },
      );
    }
  }
}
