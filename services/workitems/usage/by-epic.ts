import type { Scope } from '../calls/scope.ts';
import { added, type SessionFilter, sumsByItem, totalsOf, type UsageSum } from '../sessions/sessions.repository.ts';
import { epicsAbove } from './epics.repository.ts';

/** The group of items below no epic, and of deleted items with nothing above them. */
const NO_EPIC = 'none';

/** Sums by the epic that an item is below, or is: the same that the epic's `workItemId` gives. Highest token use first. */
export async function sumByEpic(scope: Scope, filter: SessionFilter): Promise<UsageSum[]> {
  const sums = await sumsByItem(scope.caller.organizationId, filter);
  const epicOf = await epicsAbove(
    scope,
    sums.map(({ _id }) => _id),
  );
  const byEpic = Map.groupBy(sums, ({ _id }) => epicOf.get(_id)?._id ?? NO_EPIC);
  const labels = new Map([...epicOf.values()].map(({ _id, taskId }) => [_id, taskId]));
  return [...byEpic]
    .map(([key, group]) => ({ key, label: labels.get(key) ?? key, ...totalsOf(added(group)) }))
    .sort((a, b) => b.totalTokens - a.totalTokens || (a.key < b.key ? -1 : 1));
}
