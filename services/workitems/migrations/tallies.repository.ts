import { roleOfName } from '@worktrack/contracts/projects/column-roles';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { transaction } from '@worktrack/runtime/database/transaction';
import type { ClientSession } from 'mongoose';
import { BoardModel, type BoardRecord } from '../boards/boards.model.ts';
import { TallyModel } from '../boards/tallies.model.ts';
import { newTallies } from '../boards/tallies.repository.ts';
import { ItemModel } from '../items/items.model.ts';

const BATCH = 50;
const DEADLINE_MS = 60_000;

type Older = Omit<BoardRecord, 'columnsVersion'> & { readonly columnsVersion?: number };

/** Gives the columns of boards of 0.1 the roles that their names say, and tallies of their items (boards/tallies.repository.ts). */
export const talliesMigration: Migration = {
  name: 'boards: how many items their columns hold',
  isUrgent: true,
  async batch(after) {
    const boards = await nextBatch<Older>(BoardModel, after, BATCH);
    for (const { _id, organizationId, columnsVersion } of boards) {
      if (columnsVersion !== undefined) continue;
      await transaction(Date.now() + DEADLINE_MS, (tx) => complete(organizationId, _id, tx));
    }
    return boards.at(-1)?._id;
  },
};

async function complete(organizationId: string, boardId: string, tx: ClientSession): Promise<void> {
  const board = await BoardModel.findOne({ organizationId, _id: boardId }, null, { session: tx }).lean<Older>();
  // Another replica was first.
  if (!board || board.columnsVersion !== undefined) return;
  const counted = await ItemModel.aggregate<{ _id: string; items: number }>(
    [{ $match: { organizationId, boardId } }, { $group: { _id: '$boardColumnId', items: { $sum: 1 } } }],
    { session: tx },
  );
  const [first, ...others] = newTallies({ ...board, columnsVersion: 1 });
  const counts = Object.fromEntries(counted.map(({ _id, items }) => [_id, items]));
  await TallyModel.insertMany([{ ...first, counts }, ...others], { session: tx, lean: true });
  const columns = board.columns.map((column) => ({ ...column, role: roleOfName(column.name) }));
  await BoardModel.updateOne(
    { organizationId, _id: boardId },
    { $set: { columns, columnsVersion: 1 } },
    { session: tx },
  );
}
