import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { updateBoard as operation } from '@worktrack/contracts/projects/board-operations';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { countInColumns } from '../items/items.repository.ts';
import type { FailingWriteScope } from '../scope.ts';
import type { BoardRecord, ColumnRecord } from './boards.model.ts';
import { requireBoard, saveBoard, toBoard } from './boards.repository.ts';
import { columnById } from './columns.ts';
import { excludeFromColumns } from './guards.repository.ts';

type Context = WriteContext<FailureOf<typeof operation>>;

export async function updateBoard(
  { id, name, columns: wanted }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const board = await requireBoard(context, id);
  const columns = wanted && columnsAfter(context, board, wanted);
  if (columns) {
    const kept = new Set(columns.map((column) => column.id));
    await removeColumns(
      context,
      board,
      board.columns.filter((column) => !kept.has(column.id)),
    );
  }
  return toBoard(await saveBoard(context, id, { ...(name && { name }), ...(columns && { columns }) }));
}

function columnsAfter(
  { fail }: Context,
  board: BoardRecord,
  wanted: NonNullable<Input<typeof operation>['columns']>,
): ColumnRecord[] {
  const taken = new Set<string>();
  return wanted.map(({ id, name }, index) => {
    if (id === undefined) return { id: uuidv7(), name };
    const fault = taken.has(id)
      ? 'names a column that the list holds already'
      : columnById(board, id)
        ? undefined
        : `must be a column of board "${board.name}"; leave the id out for a new column`;
    if (fault) {
      const path = `columns.${index}.id`;
      throw fail('VALIDATION_FAILED', `${path} ${fault}.`, { details: [{ path, message: fault }] });
    }
    taken.add(id);
    return { id, name };
  });
}

/** Only empty ones. Nobody can put an item into one of them meanwhile. */
async function removeColumns(
  scope: FailingWriteScope<'CONFLICT'>,
  board: BoardRecord,
  removed: readonly ColumnRecord[],
): Promise<void> {
  if (removed.length === 0) return;
  await excludeFromColumns(scope, board._id);
  for (const { id, name } of removed) {
    const count = await countInColumns(scope, [id]);
    if (count > 0) {
      const items = count === 1 ? '1 work item' : `${count} work items`;
      throw scope.fail(
        'CONFLICT',
        `Column "${name}" holds ${items}. Move them to another column before you remove it.`,
      );
    }
  }
}
