import type { Board } from '@worktrack/contracts/projects/board';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import type { FailingScope, Scope, WriteScope } from '../scope.ts';
import { BoardModel, type BoardRecord } from './boards.model.ts';
import { makeGuards } from './guards.repository.ts';

export async function insertBoard(
  scope: WriteScope,
  board: Pick<BoardRecord, 'projectId' | 'name'> & { readonly columnNames: readonly string[]; readonly id?: string },
): Promise<BoardRecord> {
  const now = new Date();
  const record: BoardRecord = {
    _id: board.id ?? uuidv7(),
    organizationId: scope.caller.organizationId,
    projectId: board.projectId,
    name: board.name,
    columns: board.columnNames.map((name) => ({ id: uuidv7(), name })),
    createdAt: now,
    updatedAt: now,
  };
  await BoardModel.insertMany([record], { session: scope.tx, lean: true });
  await makeGuards(scope, record._id);
  return record;
}

export async function findBoard({ caller, tx }: Scope, id: string): Promise<BoardRecord | null> {
  return BoardModel.findOne({ organizationId: caller.organizationId, _id: id })
    .session(tx ?? null)
    .lean();
}

export async function requireBoard(scope: FailingScope<'NOT_FOUND'>, id: string): Promise<BoardRecord> {
  const board = await findBoard(scope, id);
  if (!board) throw scope.fail('NOT_FOUND', `There is no board ${id}.`);
  return board;
}

export async function boardOfColumn(scope: FailingScope<'NOT_FOUND'>, columnId: string): Promise<BoardRecord> {
  const board = await boardWithColumn(scope, columnId);
  if (!board) throw scope.fail('NOT_FOUND', `There is no board column ${columnId}.`);
  return board;
}

export async function boardWithColumn({ caller, tx }: Scope, columnId: string): Promise<BoardRecord | null> {
  return BoardModel.findOne({ organizationId: caller.organizationId, 'columns.id': columnId })
    .session(tx ?? null)
    .lean();
}

export async function boardsOfProject({ caller }: Scope, projectId: string): Promise<BoardRecord[]> {
  return BoardModel.find({ organizationId: caller.organizationId, projectId }).sort({ _id: 1 }).lean();
}

export async function boardsById({ caller, tx }: Scope, ids: Iterable<string>): Promise<Map<string, BoardRecord>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const boards = await BoardModel.find({
    organizationId: caller.organizationId,
    _id: mongoose.trusted({ $in: wanted }),
  })
    .session(tx ?? null)
    .lean();
  return new Map(boards.map((board) => [board._id, board]));
}

export async function saveBoard(
  { caller, tx }: WriteScope,
  id: string,
  changes: Partial<Pick<BoardRecord, 'name' | 'columns'>>,
): Promise<BoardRecord> {
  const { organizationId } = caller;
  return BoardModel.findOneAndUpdate(
    { organizationId, _id: id },
    { $set: { ...changes, updatedAt: new Date() } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export function toBoard({ _id, projectId, name, columns }: BoardRecord): Board {
  return {
    id: _id,
    projectId,
    name,
    columns: columns.map((column, position) => ({ id: column.id, name: column.name, position })),
  };
}
