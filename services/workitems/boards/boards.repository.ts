import type { EventType } from '@worktrack/contracts/events/event';
import type { Board } from '@worktrack/contracts/projects/board';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { Remembered } from '../calls/remembered.ts';
import type { FailingScope, FailingWriteScope, Scope, WriteScope } from '../calls/scope.ts';
import { exists, within } from '../calls/within.repository.ts';
import { projectAfterBoard } from '../projects/projects.repository.ts';
import { BoardModel, type BoardRecord, type ColumnRecord } from './boards.model.ts';
import { makeTallies, relyOnColumns, removeTallies } from './tallies.repository.ts';

export async function insertBoard(
  scope: WriteScope & TransactionScope,
  board: Pick<BoardRecord, 'projectId' | 'name' | 'dependencyMet' | 'labels'> & {
    readonly columns: readonly Omit<ColumnRecord, 'id'>[];
    readonly id?: string;
  },
): Promise<BoardRecord> {
  const now = new Date();
  const record: BoardRecord = {
    _id: board.id ?? uuidv7(),
    organizationId: scope.caller.organizationId,
    projectId: board.projectId,
    name: board.name,
    columns: board.columns.map((column) => ({ id: uuidv7(), ...column })),
    columnsVersion: 1,
    ...(board.dependencyMet && { dependencyMet: board.dependencyMet }),
    ...(board.labels && { labels: board.labels }),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await BoardModel.insertMany([record], { session: scope.tx, lean: true });
  await makeTallies(scope, record);
  const { name, columns } = toBoard(record);
  tellOfBoard(scope, record, 'board.created', { name, columns });
  return record;
}

/** @param board as it is after the write */
export function tellOfBoard(
  scope: WriteScope,
  { _id: id, projectId, revision = 0 }: Pick<BoardRecord, '_id' | 'projectId' | 'revision'>,
  type: Extract<EventType, `board.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'board', id }, revision, projectId, data });
}

export async function findBoard({ caller, tx }: Scope, id: string): Promise<BoardRecord | null> {
  return BoardModel.findOne({ ...within(caller), _id: id }, null, { session: tx }).lean();
}

export async function requireBoard(scope: FailingScope<'NOT_FOUND'>, id: string): Promise<BoardRecord> {
  const board = await findBoard(scope, id);
  if (!board) throw scope.fail('NOT_FOUND', `There is no board ${id}.`);
  return board;
}

export async function requireBoardForWrite(scope: FailingWriteScope<'NOT_FOUND'>, id: string): Promise<BoardRecord> {
  const board = await boardForWrite(scope, id);
  if (!board) throw scope.fail('NOT_FOUND', `There is no board ${id}.`);
  return board;
}

export async function boardWithColumn({ caller, tx }: Scope, columnId: string): Promise<BoardRecord | null> {
  return BoardModel.findOne({ ...within(caller), 'columns.id': columnId }, null, { session: tx }).lean();
}

export async function boardsOfProject({ caller, tx }: Scope, projectId: string): Promise<BoardRecord[]> {
  if (!exists(caller, projectId)) return [];
  return BoardModel.find({ organizationId: caller.organizationId, projectId }, null, {
    sort: { _id: 1 },
    session: tx,
  }).lean();
}

/** Of all projects. */
export async function boardsWithin({ caller }: Scope): Promise<BoardRecord[]> {
  return BoardModel.find(within(caller)).lean();
}

export async function countBoards({ caller, tx }: TransactionScope & Scope, projectId: string): Promise<number> {
  return BoardModel.countDocuments({ organizationId: caller.organizationId, projectId }, { session: tx });
}

/** What is on a board. */
interface OnBoard {
  readonly boardId: string;
}

export async function boardsWith(
  { caller: { organizationId }, tx }: Scope,
  items: readonly OnBoard[],
): Promise<Map<string, BoardRecord>> {
  if (items.length === 0) return new Map();
  const _id = oneOf(items.map(({ boardId }) => boardId));
  const boards = await BoardModel.find({ organizationId, _id }, null, { session: tx }).lean();
  return new Map(boards.map((board) => [board._id, board]));
}

export async function saveBoard(
  { caller: { organizationId }, tx, writes }: WriteScope & TransactionScope,
  id: string,
  changes: Partial<Pick<BoardRecord, 'name' | 'columns' | 'columnsVersion' | 'dependencyMet' | 'labels'>>,
): Promise<BoardRecord> {
  writes.claim(BoardModel, id);
  return BoardModel.findOneAndUpdate(
    { organizationId, _id: id },
    { $set: { ...changes, updatedAt: new Date() }, $inc: { revision: 1 } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

/** @returns their ids */
export async function removeBoardsOfProject(
  scope: WriteScope & TransactionScope,
  projectId: string,
): Promise<string[]> {
  const boards = await boardsOfProject(scope, projectId);
  await removeTallies(scope, { projectId });
  await BoardModel.deleteMany({ organizationId: scope.caller.organizationId, projectId }, { session: scope.tx });
  for (const board of boards) tellOfRemoval(scope, board);
  return boards.map(({ _id }) => _id);
}

export async function removeBoard(scope: WriteScope & TransactionScope, board: BoardRecord): Promise<void> {
  await removeTallies(scope, { boardId: board._id });
  await BoardModel.deleteOne({ organizationId: scope.caller.organizationId, _id: board._id }, { session: scope.tx });
  tellOfRemoval(scope, board);
}

function tellOfRemoval(scope: WriteScope, board: BoardRecord): void {
  const { name, revision = 0 } = board;
  tellOfBoard(scope, { ...board, revision: revision + 1 }, 'board.deleted', { name });
}

const remembered = new Remembered(findBoard, ({ projectId }) => projectId);

/** A board whose columns a write relies on: it is stored only if they are still the same. */
async function boardForWrite(scope: WriteScope, id: string): Promise<BoardRecord | null> {
  if (scope.tx) return relied(scope, await findBoard(scope, id));
  const known = await remembered.known(scope, id);
  if (known) await projectAfterBoard(scope, known.record.projectId, known.endedAt);
  return relied(scope, known?.record ?? null);
}

function relied(scope: WriteScope, board: BoardRecord | null): BoardRecord | null {
  if (board) relyOnColumns(scope, board);
  return board;
}

/** Without those that are not there, or not for the caller. */
export async function boardsForWrite(scope: WriteScope, items: readonly OnBoard[]): Promise<Map<string, BoardRecord>> {
  const boards = new Map<string, BoardRecord>();
  for (const id of new Set(items.map(({ boardId }) => boardId))) {
    const board = await boardForWrite(scope, id);
    if (board) boards.set(id, board);
  }
  return boards;
}

/**
 * The board an item is on. A board with items is not deleted, so if it is gone, the item was deleted after it was read.
 * @throws Stale
 */
export async function boardOf(scope: WriteScope, { boardId }: OnBoard): Promise<BoardRecord> {
  const board = await boardForWrite(scope, boardId);
  if (!board) throw new Stale(`Board ${boardId} is gone, though an item is on it.`);
  return board;
}

export function toBoard({ _id, projectId, name, columns, revision = 0 }: BoardRecord): Board {
  return {
    id: _id,
    projectId,
    name,
    columns: columns.map((column, position) => {
      return { id: column.id, name: column.name, position, role: column.role, limit: column.limit ?? null };
    }),
    version: revision,
  };
}
