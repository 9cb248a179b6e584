import { z } from 'zod';
import { RecordId } from '../fields.ts';
import { ColumnRole } from './column-roles.ts';

/** The columns of a new board, in order of progress: one for each role. */
export const STANDARD_COLUMNS = [
  'Backlog',
  'To Do',
  'In Progress',
  'Review',
  'Testing',
  'Validating',
  'To Document',
  'Done',
] as const;
export type StandardColumn = (typeof STANDARD_COLUMNS)[number];

export const MAX_COLUMNS = 50;

const MAX_LIMIT = 10_000;
/** How many items should be in a column at most: shown, and refuses nothing. */
export const ColumnLimit = z.int().min(1).max(MAX_LIMIT);

/** `role`: the column's purpose; null: none that the service knows. */
export const Column = z.object({
  id: RecordId,
  name: z.string(),
  position: z.int(),
  role: ColumnRole.nullable(),
  /** Of work in progress; null: none. */
  limit: z.int().nullable(),
});
export type Column = z.infer<typeof Column>;

export const Board = z.object({
  id: RecordId,
  projectId: RecordId,
  name: z.string(),
  columns: z.array(Column).max(MAX_COLUMNS),
  /** Higher after each change. */
  version: z.int(),
});
export type Board = z.infer<typeof Board>;
