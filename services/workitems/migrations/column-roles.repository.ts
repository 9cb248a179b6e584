import { roleOfName } from '@worktrack/contracts/projects/column-roles';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { BoardModel, type BoardRecord } from '../boards/boards.model.ts';
import { holdColumns } from '../boards/tallies.repository.ts';
import { followChangedColumns } from '../dependencies/follow-columns.ts';

const BATCH = 50;
const DEADLINE_MS = 60_000;

/** Gives the columns of boards of earlier versions the roles that their names say, and the items in them what follows from it. */
export const columnRolesMigration: Migration = {
  name: 'boards: what each column is for',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<BoardRecord>(BoardModel, after, BATCH, { organizationId: 1, columns: 1 });
    for (const { _id, organizationId, columns } of batch) {
      if (columns.some(({ role }) => role === undefined)) await giveRoles(organizationId, _id);
    }
    return batch.at(-1)?._id;
  },
};

async function giveRoles(organizationId: string, boardId: string): Promise<void> {
  const deadlineAtMs = Date.now() + DEADLINE_MS;
  await commitAlone(
    async ({ tx, writes }) => {
      const scope = { caller: { organizationId, userId: '', keyId: '' }, tx, writes, by: 'service' as const };
      await holdColumns(scope, { boardId });
      const before = await BoardModel.findOne({ organizationId, _id: boardId }).session(tx).lean<BoardRecord>();
      if (!before) return;
      const columns = before.columns.map((column) => ({ ...column, role: column.role ?? roleOfName(column.name) }));
      const after: BoardRecord = { ...before, columns, columnsVersion: before.columnsVersion + 1 };
      await followChangedColumns(scope, [{ before, after }]);
      const { columnsVersion } = after;
      await BoardModel.updateOne(
        { organizationId, _id: boardId },
        { $set: { columns, columnsVersion } },
        { session: tx },
      );
    },
    { deadlineAtMs },
  );
}
