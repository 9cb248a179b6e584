import { STANDARD_COLUMNS, type StandardColumn } from '@worktrack/contracts/projects/board';

const IN_PROGRESS = STANDARD_COLUMNS.indexOf('In Progress');

/** How far a column is in the order of progress. A column with any other name counts as `In Progress`. */
export function progressOf(columnName: string): number {
  const standard = STANDARD_COLUMNS.indexOf(columnName as StandardColumn);
  return standard === -1 ? IN_PROGRESS : standard;
}

/** `Backlog` or `To Do`: nobody has started. */
export function isPending(columnName: string): boolean {
  return progressOf(columnName) < IN_PROGRESS;
}

/** In `Review` or a later column: dependents no longer have to wait. */
export function isHandedOver(columnName: string): boolean {
  return progressOf(columnName) > IN_PROGRESS;
}

export function isDone(columnName: string): boolean {
  return columnName === ('Done' satisfies StandardColumn);
}
