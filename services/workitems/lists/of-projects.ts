import { isUuid } from '@worktrack/contracts/fields';
import type { Input } from '@worktrack/contracts/operation';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { nearest } from '@worktrack/runtime/validation/nearest';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsOfProject, boardsWithin, boardWithColumn, findBoard } from '../boards/boards.repository.ts';
import { labelMeant } from '../boards/labels.ts';
import { isDone } from '../boards/progress.ts';
import type { FailingScope, Scope } from '../calls/scope.ts';
import { not } from './conditions.ts';
import { isDueSo, type Where } from './where.ts';

// What only the boards know of the projects whose items are listed: their labels by name, and which columns are done.

/** Where the list is, as far as it is known. */
export interface Near {
  readonly board: BoardRecord | null | undefined;
  readonly projectId: string | undefined;
}

/** Of those that there are, in a refusal. */
const NAMED_LABELS = 20;

/** The ids of the labels that are named; without a project, of those that have one of the names in any of them. */
export async function labelsNamed(
  scope: FailingScope<'VALIDATION_FAILED'>,
  refs: readonly string[],
  near: Near,
  path = 'label',
): Promise<readonly string[]> {
  const boards = await boardsNear(scope, near);
  const found = refs.flatMap((ref) => {
    const ids = new Set(boards.flatMap(({ labels = [] }) => labelMeant(labels, ref) ?? []));
    if (ids.size > 0) return [...ids];
    // A deleted one: items had it.
    if (isUuid(ref)) return [ref.toLowerCase()];
    const message = `there is no label ${JSON.stringify(ref)}`;
    const names = [...new Set(boards.flatMap(({ labels = [] }) => labels.map(({ name }) => name)))];
    const meant = nearest(ref, names);
    const some = names.slice(0, NAMED_LABELS).map((name) => JSON.stringify(name));
    const way = meant
      ? `Did you mean ${JSON.stringify(meant)}?`
      : `There are ${some.join(', ') || 'none'}${names.length > some.length ? ' …' : ''}.`;
    throw scope.fail('VALIDATION_FAILED', `${path}: ${message}. ${way}`, { details: [{ path, message }] });
  });
  return [...new Set(found)];
}

/** The ids of all labels. */
export async function labelsKnown(scope: Scope, near: Near): Promise<readonly string[]> {
  const boards = await boardsNear(scope, near);
  return [...new Set(boards.flatMap(({ labels = [] }) => labels.map(({ id }) => id)))];
}

async function boardsNear(scope: Scope, { board, projectId }: Near): Promise<readonly BoardRecord[]> {
  return board ? [board] : boardsOf(scope, projectId);
}

/** @returns what is not overdue as a condition of its own: it is no range */
export async function dueOf(
  scope: Scope,
  { dueBefore, dueAfter, overdue }: Pick<Input<typeof listWorkItems>, 'dueBefore' | 'dueAfter' | 'overdue'>,
  { place: { boardId, boardColumnId }, projectId }: Pick<Where, 'place' | 'projectId'>,
): Promise<{ readonly due: Where['due']; readonly also: Where['also'] }> {
  const due = dueBefore === undefined && dueAfter === undefined ? undefined : { before: dueBefore, after: dueAfter };
  if (overdue === undefined) return { due, also: [] };
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const ofColumn = boardColumnId ? await boardWithColumn(scope, boardColumnId) : null;
  const board = boardId ? await findBoard(scope, boardId) : ofColumn;
  const boards = board ? [board] : await boardsOf(scope, projectId);
  const done = boards.flatMap(({ columns }) => columns.filter((column) => isDone(column.role)).map(({ id }) => id));
  if (!overdue) return { due, also: [not(isDueSo({ before: today, notIn: done }))] };
  const before = dueBefore !== undefined && dueBefore < today ? dueBefore : today;
  return { due: { before, after: dueAfter, notIn: done }, also: [] };
}

function boardsOf(scope: Scope, projectId: string | undefined): Promise<readonly BoardRecord[]> {
  return projectId === undefined ? boardsWithin(scope) : boardsOfProject(scope, projectId);
}
