import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { columnIn } from '../boards/columns.ts';
import { attentionAfter } from '../items/attention.ts';
import { type BlockedOn, ItemModel, type ItemRecord } from '../items/items.model.ts';
import { findOutlines } from '../items/items.repository.ts';
import { type ItemOutline, OUTLINE } from '../items/shown/views.ts';
import { boardsOf } from './claimable.repository.ts';

const BATCH = 200;
/** How many dependencies of dependencies are followed to find a cycle, which only versions that checked none could store. */
const MAX_FOLLOWED = 500;

type Item = ItemOutline & Pick<ItemRecord, 'updatedAt'>;

/** Says what items that an earlier version stored need from people. */
export const attentionMigration: Migration = {
  name: 'work items: what they need from people',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<Item>(ItemModel, after, BATCH, { ...OUTLINE, updatedAt: 1 });
    let isAll = true;
    for (const [organizationId, items] of Map.groupBy(batch, (item) => item.organizationId)) {
      isAll = (await complete(organizationId, items)) && isAll;
    }
    return isAll ? batch.at(-1)?._id : after;
  },
};

/** @returns false if any of them was written meanwhile: nobody else looks for what is wrong below it */
async function complete(organizationId: string, items: readonly Item[]): Promise<boolean> {
  const boards = await boardsOf(
    organizationId,
    items.map(({ boardId }) => boardId),
  );
  const writes = [];
  for (const item of items) {
    const on = item.blocked === undefined ? await wrongBelow(organizationId, item) : [];
    const blocked = on.length > 0 ? { since: item.updatedAt, on } : item.blocked;
    const after = { ...item, ...(blocked !== undefined && { blocked }) };
    const { needs, ...attention } = attentionAfter(item, after, columnIn(boards, item).role);
    const isJudged = needs?.kind === 'review' || needs?.kind === 'validation';
    const set = {
      ...(on.length > 0 && { blocked }),
      ...attention,
      ...(needs !== undefined && { needs: needs && isJudged ? { ...needs, since: item.updatedAt } : needs }),
    };
    const isNothing = Object.values(set).every((value) => value === null);
    if (isNothing) continue;
    const filter = { organizationId, _id: item._id, revision: item.revision };
    writes.push({ updateOne: { filter, update: { $set: set, $inc: { revision: 1 } } } });
  }
  if (writes.length === 0) return true;
  const { matchedCount } = await ItemModel.bulkWrite(writes, { ordered: false });
  return matchedCount === writes.length;
}

/** The dependencies and bases of an item that were sent back, are gone, or wait for the item itself. */
async function wrongBelow(organizationId: string, item: Item): Promise<BlockedOn[]> {
  const marks = (item.onReturnedBase ?? []).map(({ id, taskId }) => ({ ref: id, taskId, why: 'returned' as const }));
  if (item.waitsFor.length === 0) return marks;
  const scope = { caller: { organizationId } };
  const found = await findOutlines(scope, item.waitsFor);
  const own = found.filter(({ projectId }) => projectId === item.projectId);
  const known = new Set(own.flatMap(({ _id, taskId }) => [_id, taskId]));
  const gone = item.waitsFor.filter((ref) => !known.has(ref));
  const wrong: BlockedOn[] = gone.map((ref) => ({ ref, taskId: ref, why: 'deleted' }));
  for (const dependency of own) {
    const { _id: ref, taskId, returned, lease } = dependency;
    if (returned ?? lease?.before.returned) wrong.push({ ref, taskId, why: 'returned' });
    else if (await dependsOn(organizationId, dependency, item)) wrong.push({ ref, taskId, why: 'cycle' });
  }
  const others = marks.filter(({ ref }) => wrong.every((each) => each.ref !== ref));
  return [...others, ...wrong];
}

async function dependsOn(organizationId: string, from: ItemOutline, item: ItemOutline): Promise<boolean> {
  const seen = new Set<string>();
  for (let edge = from.dependsOn; edge.length > 0 && seen.size < MAX_FOLLOWED; ) {
    if (edge.includes(item._id) || edge.includes(item.taskId)) return true;
    for (const ref of edge) seen.add(ref);
    const next = await findOutlines({ caller: { organizationId } }, edge);
    edge = next.flatMap((each) => each.dependsOn).filter((ref) => !seen.has(ref));
  }
  return false;
}
