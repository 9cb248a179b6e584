import type { Caller } from '@worktrack/contracts/caller';
import { MAX_COUNTED } from '@worktrack/contracts/fields';
import type { NeedKind } from '@worktrack/contracts/work-items/attention';
import { countInOrder, inOrder, type Order, type PageEnd } from '@worktrack/runtime/database/in-order';
import { BudgetModel, type BudgetRecord } from '../budgets/budgets.model.ts';
import type { Scope } from '../calls/scope.ts';
import { within } from '../calls/within.repository.ts';
import { NOBODY } from '../items/claimable.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { SUMMARY, type SummaryItem } from '../items/shown/views.ts';

/** A kind of need that is stored in the item. */
export type StoredKind = Exclude<NeedKind, 'budget'>;

interface UsersScope extends Scope {
  readonly caller: Scope['caller'] & Pick<Caller, 'userId'>;
}

export type NeedyItem = SummaryItem &
  Pick<ItemRecord, 'needs' | 'blocked' | 'assigned' | 'version'> & {
    readonly previous?: Omit<NonNullable<ItemRecord['previous']>, 'checkpoint'> | null;
  };

const PRESENTED = {
  ...SUMMARY,
  ...{ needs: 1, blocked: 1, assigned: 1, version: 1 },
  ...{ 'previous.agent': 1, 'previous.endedBecause': 1, 'previous.note': 1, 'previous.at': 1 },
} as const;

/** The longest waiting items come first. Each kind is one range of one index, however many other items there are. */
export function neediestItems(
  scope: UsersScope,
  kind: StoredKind,
  names: readonly string[],
  { after, limit }: { readonly after: PageEnd | undefined; readonly limit: number },
): Promise<NeedyItem[]> {
  return inOrder<NeedyItem>(ItemModel, {
    ...listOf(scope, kind, names),
    range: ANY_TIME,
    after,
    limit,
    present: [{ $project: PRESENTED }],
  });
}

/** @returns at most MAX_COUNTED */
export function countNeedy(scope: UsersScope, kind: StoredKind, names: readonly string[]): Promise<number> {
  return countInOrder(ItemModel, { ...listOf(scope, kind, names), range: ANY_TIME, limit: MAX_COUNTED });
}

/** The indexes contain only items that have the time, and a query must say that it asks for no others. */
const ANY_TIME = { $gt: new Date(0) };

function listOf({ caller }: UsersScope, kind: StoredKind, names: readonly string[]) {
  // As within() makes it for a find, and an aggregation takes it as it is.
  const filter: Record<string, unknown> = { ...within(caller) };
  if (kind === 'assigned') {
    // Others may have the same name.
    const assigneeId = { $in: [caller.userId, NOBODY, null] };
    return { filter: { ...filter, assignee: { $in: names }, assigneeId }, order: since('assigned') };
  }
  if (kind === 'blocked') return { filter, order: since('blocked') };
  return { filter: { ...filter, 'needs.kind': kind }, order: since('needs') };
}

const since = (field: string): Order => ({ field: `${field}.since`, direction: 1 });

/** Those of which people were told that little is left, in this period or an earlier one. */
export async function warnedBudgets({ caller }: Scope): Promise<BudgetRecord[]> {
  return BudgetModel.aggregate<BudgetRecord>([{ $match: { ...within(caller), 'warned.at': ANY_TIME } }]);
}
