import type { OperationError } from '@worktrack/contracts/errors';
import { isUuid } from '@worktrack/contracts/fields';
import type { StandardColumn } from '@worktrack/contracts/projects/board';
import { Stale } from '@worktrack/runtime/database/stale';
import { nearest } from '@worktrack/runtime/validation/nearest';
import type { FailingScope } from '../calls/scope.ts';
import type { BoardRecord, ColumnRecord } from './boards.model.ts';

export function columnNamed(board: BoardRecord, name: StandardColumn): ColumnRecord | undefined {
  return board.columns.find((column) => column.name === name);
}

export function columnById(board: BoardRecord, id: string): ColumnRecord | undefined {
  return board.columns.find((column) => column.id === id);
}

/**
 * The name of an item's column. An item is always in a column of its board (tallies.repository.ts), so if it seems not to be, one of the two was read before
 * the other was changed.
 * @throws Stale
 */
export function columnName(board: BoardRecord | undefined, id: string): string {
  const column = board && columnById(board, id);
  if (!column) throw new Stale(`Column ${id} is not on the board ${board?._id}, though an item is in it.`);
  return column.name;
}

/**
 * The column that a caller means by its UUID or name. Case matters only between columns whose names differ in nothing else.
 * @param ref as parsed by ColumnRef
 */
export function columnMeant(board: BoardRecord, ref: string): ColumnRecord | undefined {
  const exact = columnById(board, ref) ?? board.columns.find(({ name }) => name === ref);
  if (exact) return exact;
  const alike = board.columns.filter(({ name }) => caseless(name) === caseless(ref));
  return alike.length === 1 ? alike[0] : undefined;
}

const caseless = (name: string) => name.normalize('NFC').toLowerCase();

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
