import type { OperationError } from '@worktrack/contracts/errors';
import { isUuid } from '@worktrack/contracts/fields';
import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { type ColumnRole, foldedName, ROLES } from '@worktrack/contracts/projects/column-roles';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { nearest } from '@worktrack/runtime/validation/nearest';
import type { FailingScope } from '../calls/scope.ts';
import type { BoardRecord, ColumnRecord } from './boards.model.ts';
import type { Role } from './progress.ts';

/** The first column of the first of these roles that the board has. */
export function columnOfRole(board: BoardRecord, ...roles: readonly ColumnRole[]): ColumnRecord | undefined {
  for (const role of roles) {
    const column = board.columns.find((each) => each.role === role);
    if (column) return column;
  }
  return undefined;
}

export function columnById(board: BoardRecord, id: string): ColumnRecord | undefined {
  return board.columns.find((column) => column.id === id);
}

/**
 * An item's column. An item is always in a column of its board (tallies.repository.ts), so if it seems not to be, one of the two was read before
 * the other was changed.
 * @throws Stale
 */
export function columnAt(board: BoardRecord | undefined, id: string): ColumnRecord {
  const column = board && columnById(board, id);
  if (!column) throw new Stale(`Column ${id} is not on the board ${board?._id}, though an item is in it.`);
  return column;
}

/** The same, where the boards of several items are known. */
export const columnIn = (
  boards: ReadonlyMap<string, BoardRecord>,
  { boardId, boardColumnId }: { readonly boardId: string; readonly boardColumnId: string },
): ColumnRecord => columnAt(boards.get(boardId), boardColumnId);

export const roleAt = (board: BoardRecord | undefined, id: string): Role => columnAt(board, id).role;

/**
 * The column that a caller means by its UUID or name. How a name is written matters only between columns whose names differ in nothing else. A standard name that the
 * board does not have means the column that is for the same: what a caller knows of one board holds on every other.
 * @param ref as parsed by ColumnRef
 */
export function columnMeant(board: BoardRecord, ref: string): ColumnRecord | undefined {
  const exact = columnById(board, ref) ?? board.columns.find(({ name }) => name === ref);
  if (exact) return exact;
  const alike = board.columns.filter(({ name }) => foldedName(name) === foldedName(ref));
  if (alike.length === 1) return alike[0];
  const standard = STANDARD_COLUMNS.findIndex((name) => foldedName(name) === foldedName(ref));
  const role = ROLES[standard];
  return role && columnOfRole(board, role);
}

/** @param field the input field that names the column */
export function requireColumn(
  scope: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  ref: string,
  field = 'boardColumnId',
): ColumnRecord {
  const column = columnMeant(board, ref);
  if (!column) throw noSuchColumn(scope, board, ref, field);
  return column;
}

export function noSuchColumn(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  ref: string,
  field = 'boardColumnId',
): OperationError {
  const names = board.columns.map(({ name }) => name);
  const meant = isUuid(ref) ? undefined : nearest(ref, names);
  const message = `board "${board.name}" has no column ${JSON.stringify(ref)}${meant ? `; did you mean ${meant}?` : ''}`;
  const columns = board.columns.map(({ id, name }) => `${name} (${id})`).join(', ');
  return fail('VALIDATION_FAILED', `${field}: ${message}${meant ? '' : '.'} Its columns are ${columns}.`, {
    details: [{ path: field, message }],
  });
}

/** @param roles in the order in which they are wanted. @param instead what the caller should do about it */
export function requireColumnOfRole(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  roles: readonly ColumnRole[],
  instead: string,
): ColumnRecord {
  const column = columnOfRole(board, ...roles);
  if (!column)
    throw fail(
      'VALIDATION_FAILED',
      `Board "${board.name}" has no column of the role ${roles.join(' or ')}; ${instead}.`,
    );
  return column;
}
