import { DEFAULT_LEASE_SECONDS } from '@worktrack/contracts/work-items/agents/leases';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { BoardModel, type BoardRecord } from '../boards/boards.model.ts';
import { columnIn } from '../boards/columns.ts';
import { isHandedOver } from '../boards/progress.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import { claimable } from '../items/claimable.ts';
import { ItemModel } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import type { Seen } from '../items/shown/views.ts';

const BATCH = 500;

const FIELDS = {
  organizationId: 1,
  projectId: 1,
  boardId: 1,
  boardColumnId: 1,
  type: 1,
  lease: 1,
  assignee: 1,
  priority: 1,
  position: 1,
  revision: 1,
  treeVersion: 1,
  updatedAt: 1,
  'metadata.dependsOn': 1,
} as const;
type Older = Omit<Seen<typeof FIELDS>, 'metadata' | 'treeVersion'> & {
  readonly metadata?: { readonly dependsOn?: unknown };
  readonly treeVersion?: number;
};

/**
 * Adds to items of 0.1 the fields stored since: the number of their children, what they wait for, and when they can be claimed. They also get the holder of
 * their lease, whose end is to be told (leases/settle.ts).
 */
export const claimableMigration: Migration = {
  name: 'work items: children, dependencies, from when on they can be claimed',
  isUrgent: true,
  async batch(after) {
    const batch = await nextBatch<Older>(ItemModel, after, BATCH, FIELDS);
    const older = batch.filter(({ treeVersion }) => treeVersion === undefined);
    for (const [organizationId, items] of Map.groupBy(older, (item) => item.organizationId)) {
      await complete(organizationId, items);
    }
    return batch.at(-1)?._id;
  },
};

async function complete(organizationId: string, items: readonly Older[]): Promise<void> {
  const childCounts = await countChildren(
    organizationId,
    items.map(({ _id }) => _id),
  );
  const references = new Set(items.flatMap(({ metadata }) => dependenciesOf(metadata)));
  const met = await handedOver(organizationId, [...references]);
  const boards = await boardsOf(
    organizationId,
    items.map(({ boardId }) => boardId),
  );
  await ItemModel.bulkWrite(
    items.map((item) => {
      const { _id, projectId, type, assignee } = item;
      const lease = item.lease && leaseOf(item.lease, item);
      const dependsOn = dependenciesOf(item.metadata);
      const waitsFor = dependsOn.filter((reference) => !met.has(`${projectId} ${reference}`));
      const { priority, position, boardColumnId } = item;
      const childCount = childCounts.get(_id) ?? 0;
      const state = { type, lease, assignee, returned: null, priority, position, boardColumnId, waitsFor, childCount };
      const board = boards.get(item.boardId);
      if (!board) throw new Error(`Board ${item.boardId} of work item ${_id} is gone.`);
      return {
        updateOne: {
          // Only once: after that it is kept up to date anyway.
          filter: { organizationId, _id, treeVersion: null },
          update: {
            $set: { treeVersion: 1, childCount, dependsOn, waitsFor, lease, ...claimable(state, board) },
            $inc: { revision: 1 },
          },
        },
      };
    }),
  );
}

/** 0.1 stored whose key a lease is of, and until when; its agent as the assignee alone. As it takes no heartbeats, it does not stall. */
function leaseOf(lease: LeaseRecord, { assignee, updatedAt, revision }: Older): LeaseRecord {
  const learned = { agent: assignee ?? 'unknown', run: uuidv7(), claimedAt: updatedAt, heardRevision: revision };
  const term = { leaseSeconds: DEFAULT_LEASE_SECONDS, stallsAt: lease.expiresAt, unsettledUntil: lease.expiresAt };
  return { ...lease, ...learned, ...term, state: 'working' };
}

async function countChildren(organizationId: string, ids: readonly string[]): Promise<Map<string, number>> {
  const counted = await ItemModel.aggregate<{ _id: string; children: number }>([
    { $match: { organizationId, parentId: { $in: ids } } },
    { $group: { _id: '$parentId', children: { $sum: 1 } } },
  ]);
  return new Map(counted.map(({ _id, children }) => [_id, children]));
}

/** As `<project> <reference>`, by UUID and by task ID. */
async function handedOver(organizationId: string, references: readonly string[]): Promise<Set<string>> {
  const fields = { taskId: 1, projectId: 1, boardId: 1, boardColumnId: 1 } as const;
  const named = [
    ...(await ItemModel.find({ organizationId, _id: oneOf(references) }, fields).lean()),
    ...(await ItemModel.find({ organizationId, taskId: oneOf(references) }, fields).lean()),
  ];
  const boards = await boardsOf(
    organizationId,
    named.map(({ boardId }) => boardId),
  );
  return new Set(
    named
      .filter((item) => isHandedOver(columnIn(boards, item).role))
      .flatMap(({ _id, taskId, projectId }) => [`${projectId} ${_id}`, `${projectId} ${taskId}`]),
  );
}

export async function boardsOf(organizationId: string, ids: readonly string[]): Promise<Map<string, BoardRecord>> {
  const boards = await BoardModel.find({ organizationId, _id: oneOf(ids) }).lean();
  return new Map(boards.map((board) => [board._id, board]));
}
