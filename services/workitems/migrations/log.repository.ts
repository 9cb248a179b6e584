import { setTimeout as delay } from 'node:timers/promises';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { outboxHasRoom, tellEmitted } from '@worktrack/runtime/database/outbox/outbox.repository';
import { HistoryModel, type HistoryRecord } from '../history/history.model.ts';
import { startOfPast, tellPastOf } from '../history/past.repository.ts';

const BATCH = 500;
/** What happens now waits behind no more of the past than this, and the outbox does not fill up while the broker is unavailable. */
const MAX_WAITING = 2_000;
const LOOK_AGAIN_MS = 100;

type Found = Pick<HistoryRecord, '_id' | 'organizationId' | 'workItemId' | 'told'>;

/**
 * Tells the log what happened before it existed, as far as the history of work items has it. By item rather than by record: the clocks of two replicas
 * may have differed, and an item's events are reported in the order of its revisions.
 */
export const logMigration: Migration = {
  name: 'log: what the history of work items has of before',
  isUrgent: false,
  async batch(after) {
    if (!(await outboxHasRoom(MAX_WAITING))) {
      await delay(LOOK_AGAIN_MS);
      return after;
    }
    const batch = await nextBatch<Found>(HistoryModel, after || startOfPast(), BATCH, {
      organizationId: 1,
      workItemId: 1,
      told: 1,
    });
    const untold = batch.filter(({ told }) => !told);
    for (const [organizationId, records] of Map.groupBy(untold, (record) => record.organizationId)) {
      const workItemIds = [...new Set(records.map(({ workItemId }) => workItemId))];
      const isAll = await tellPastOf(organizationId, workItemIds);
      tellEmitted();
      if (!isAll) return after;
    }
    return batch.at(-1)?._id;
  },
};
