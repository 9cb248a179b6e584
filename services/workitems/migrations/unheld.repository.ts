import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { claimable } from '../items/claimable.ts';
import { ItemModel } from '../items/items.model.ts';
import { type ItemOutline, OUTLINE } from '../items/shown/views.ts';
import { boardsOf } from './claimable.repository.ts';

const BATCH = 500;

/** Lets tasks be claimed that an earlier version left in `In Progress`, held by nobody. */
export const unheldMigration: Migration = {
  name: 'work items: tasks in progress that nobody holds can be claimed',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<ItemOutline>(ItemModel, after, BATCH, OUTLINE);
    const stranded = batch.filter(({ type, lease, claimOrder }) => type === 'task' && !lease && claimOrder === null);
    for (const [organizationId, items] of Map.groupBy(stranded, (item) => item.organizationId)) {
      const boards = await boardsOf(
        organizationId,
        items.map(({ boardId }) => boardId),
      );
      const writes = items.flatMap((item) => {
        const board = boards.get(item.boardId);
        const order = board ? claimable(item, board).claimOrder : null;
        if (order === null) return [];
        // Whoever has written it since has determined it anew.
        const filter = { organizationId, _id: item._id, revision: item.revision };
        return [{ updateOne: { filter, update: { $set: { claimOrder: order }, $inc: { revision: 1 } } } }];
      });
      if (writes.length > 0) await ItemModel.bulkWrite(writes, { ordered: false });
    }
    return batch.at(-1)?._id;
  },
};
