import type { StandardColumn } from '@worktrack/contracts/projects/board';
import type { FailingScope } from '../scope.ts';
import type { BoardRecord, ColumnRecord } from './boards.model.ts';

export function columnNamed(board: BoardRecord, name: StandardColumn): ColumnRecord | undefined {
  return board.columns.find((column) => column.name === name);
}

export function columnById(board: BoardRecord, id: string): ColumnRecord | undefined {
  return board.columns.find((column) => column.id === id);
}

/** The name of an item's column. An item is always in a column of its board (guards.repository.ts). */
export function columnName(board: BoardRecord | undefined, id: string): string {
  const column = board && columnById(board, id);
  if (!column) throw new Error(`Column ${id} is not on the board ${board?._id}, though an item is in it.`);
  return column.name;
}

/** @param field of the input that names the column */
export function requireColumn(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  columnId: string,
  field = 'boardColumnId',
): ColumnRecord {
  const column = columnById(board, columnId);
  if (!column) {
    const columns = board.columns.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw fail('VALIDATION_FAILED', `${field} must be a column of board "${board.name}": ${columns}.`, {
      details: [{ path: field, message: `must be a column of board ${board._id}` }],
    });
  }
  return column;
}

/** @param instead what the caller should do about it */
export function requireColumnNamed(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  name: StandardColumn,
  instead: string,
): ColumnRecord {
  const column = columnNamed(board, name);
  if (!column) throw fail('VALIDATION_FAILED', `Board "${board.name}" has no column named ${name}; ${instead}.`);
  return column;
}
