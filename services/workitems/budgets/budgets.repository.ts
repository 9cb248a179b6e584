import { BUDGET_WARNING_SHARE } from '@worktrack/contracts/work-items/attention';
import type { BudgetPeriod } from '@worktrack/contracts/work-items/costs/budget';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { conflict, transaction } from '@worktrack/runtime/database/transaction';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Ground } from '@worktrack/runtime/database/writes/write-set';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { ancestorIdsOf, below, withAllBelow } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { SessionModel } from '../sessions/sessions.model.ts';
import { BudgetModel, type BudgetRecord } from './budgets.model.ts';
import { beginOf, periodAt } from './period.ts';

/** The budgets that apply to an item, or to a project as a whole. */
export type Under = Pick<ItemRecord, '_id' | 'projectId' | 'foundBy'>;

export const idsOver = (item: Under): string[] => [item.projectId, item._id, ...ancestorIdsOf(item)];

export async function budgetsOfProjects({ caller }: Scope, projectIds: readonly string[]): Promise<BudgetRecord[]> {
  const { organizationId } = caller;
  return BudgetModel.find({ organizationId, projectId: oneOf(projectIds) }).lean();
}

export async function budgetsOver({ caller: { organizationId } }: Scope, item: Under): Promise<BudgetRecord[]> {
  return BudgetModel.find({ organizationId, _id: oneOf(idsOver(item)) }).lean();
}

/** So much of it that somebody has to know. */
export const isNearlySpent = ({ spentMicrodollars, limitMicrodollars }: BudgetRecord) =>
  spentMicrodollars >= limitMicrodollars * BUDGET_WARNING_SHARE;

const DEADLINE_MS = 10_000;

/** Including what was spent in the current period: if unknown, it is counted and stored. Also stored is that little is left, which those who spent may not have known. */
export async function counted(scope: Scope, budgets: readonly BudgetRecord[], now: Date): Promise<BudgetRecord[]> {
  const all = await countedWhereUnknown(scope, budgets, now);
  for (const budget of all) {
    const period = periodAt(budget.period, now);
    if (isNearlySpent(budget) && budget.warned?.period !== period)
      await noteWarning(scope, budget, { period, at: now });
  }
  return all;
}

/** By whoever is first. The next write that spends tells the log. */
async function noteWarning(
  { caller: { organizationId } }: Scope,
  { _id, warned }: BudgetRecord,
  now: NonNullable<BudgetRecord['warned']>,
): Promise<void> {
  const asRead = { organizationId, _id, 'warned.period': warned?.period ?? null };
  await BudgetModel.updateOne(asRead, { $set: { warned: { ...now, isTold: false } } });
}

async function countedWhereUnknown(scope: Scope, budgets: readonly BudgetRecord[], now: Date): Promise<BudgetRecord[]> {
  const isKnown = ({ period, countedPeriod }: BudgetRecord) => countedPeriod === periodAt(period, now);
  if (budgets.every(isKnown)) return [...budgets];
  const { organizationId } = scope.caller;
  // From one snapshot: ending a lease moves tokens from one collection to another. Concurrent spending writes the budget too, and one of the two runs again.
  return transaction(Date.now() + DEADLINE_MS, async (tx) => {
    const found: BudgetRecord[] = [];
    for (const { _id } of budgets) {
      const budget = await BudgetModel.findOne({ organizationId, _id }, null, { session: tx }).lean();
      if (!budget) continue;
      if (isKnown(budget)) {
        found.push(budget);
        continue;
      }
      const spent = {
        ...(await spentOf({ caller: scope.caller, tx }, budget, now)),
        countedPeriod: periodAt(budget.period, now),
      };
      // Only if unchanged since it was read: later spending is not in the sum.
      const { matchedCount } = await BudgetModel.updateOne(
        { organizationId, _id, revision: budget.revision },
        { $set: spent, $inc: { revision: 1 } },
        { session: tx },
      );
      if (matchedCount === 0) throw conflict();
      found.push({ ...budget, ...spent });
    }
    return found;
  });
}

/** In the period's sessions, plus what leases have reported that is in no session yet. */
export async function spentOf(
  { caller: { organizationId }, tx }: Scope & Pick<TransactionScope, 'tx'>,
  { _id, projectId, taskId, period }: BudgetRecord,
  now: Date,
): Promise<Pick<BudgetRecord, 'spentMicrodollars' | 'inFlightMicrodollars'>> {
  const from = beginOf(period, now);
  const isOfItem = taskId !== null;
  const items = ItemModel.aggregate<{ _id: string; costMicrodollars?: number }>(
    [
      isOfItem
        ? // Itself too: a task that became a feature keeps the lease of its agent.
          { $match: { organizationId, foundBy: { $in: withAllBelow(_id) } } }
        : { $match: { organizationId, 'lease.state': { $in: ['working', 'awaiting_input'] }, projectId } },
      { $project: { costMicrodollars: '$lease.report.costMicrodollars' } },
    ],
    { session: tx },
  ).cursor({ batchSize: ITEMS_AT_ONCE });
  const spentIn = async (sessions: Readonly<Record<string, unknown>>) => {
    const [sum] = await SessionModel.aggregate<{ spent: number }>(
      [
        { $match: { organizationId, ...sessions, ...(from && { createdAt: { $gte: from } }) } },
        { $group: { _id: null, spent: { $sum: '$costMicrodollars' } } },
      ],
      { session: tx },
    );
    return sum?.spent ?? 0;
  };
  let spent = isOfItem ? 0 : await spentIn({ projectId });
  let inFlight = 0;
  let ids: string[] = [];
  for await (const item of items) {
    inFlight += item.costMicrodollars ?? 0;
    if (isOfItem) ids.push(item._id);
    if (ids.length < ITEMS_AT_ONCE) continue;
    spent += await spentIn({ countedFor: { $in: ids } });
    ids = [];
  }
  if (ids.length > 0) spent += await spentIn({ countedFor: { $in: ids } });
  return { spentMicrodollars: spent + inFlight, inFlightMicrodollars: inFlight };
}
/** Of an epic, whose sessions are looked up together: all of them at once may be more than a command can hold. */
const ITEMS_AT_ONCE = 1_000;

/**
 * That some of the budget is left: for a write that spends of it, afterwards too. Those that spend rely on it exclusively: of concurrent ones, exactly those
 * that stay below the limit are stored.
 */
export function restOf({ organizationId, _id, countedPeriod, limitMicrodollars }: BudgetRecord, spent = 0): Ground {
  const left = { spentMicrodollars: { $lt: limitMicrodollars - spent }, limitMicrodollars, countedPeriod };
  return { of: BudgetModel, filter: { organizationId, _id, ...left }, counter: 'claims' };
}

/** Micro-dollars: what a session records, and by how much changes what agents at work have reported. */
export interface Spending {
  readonly recorded: number;
  readonly inFlight: number;
}

export function addSpent(scope: WriteScope, budgetId: string, { recorded, inFlight }: Spending): void {
  const inc = { spentMicrodollars: recorded + inFlight, inFlightMicrodollars: inFlight };
  scope.writes.rely(existing(scope, budgetId), 'shared', { inc });
}

/** The log is told that little is left: once in a period, by one of the writes that spend. */
export function markWarned(
  scope: WriteScope,
  { _id, warned }: BudgetRecord,
  now: NonNullable<BudgetRecord['warned']>,
): void {
  const ground = existing(scope, _id);
  const asRead = {
    ...ground.filter,
    ...{ 'warned.period': warned?.period ?? null, 'warned.isTold': warned?.isTold ?? null },
  };
  scope.writes.rely({ ...ground, filter: asRead }, 'exclusive', { set: { warned: now } });
}

/** Of a budget that was just set, in the transaction that sets it: nobody spends meanwhile without knowing of it. */
export async function saveCount(
  { caller, tx }: TransactionScope & Scope,
  _id: string,
  count: Pick<BudgetRecord, 'spentMicrodollars' | 'inFlightMicrodollars' | 'countedPeriod' | 'warned'>,
): Promise<void> {
  await BudgetModel.updateOne({ organizationId: caller.organizationId, _id }, { $set: count }, { session: tx });
}

/** The spending in flight is recorded. The sum stays the same, so it does not matter which budgets there are. */
export function endInFlight({ caller, writes }: WriteScope, item: Under, microdollars: number): void {
  if (microdollars === 0) return;
  const { organizationId } = caller;
  const filter = { organizationId, _id: { $in: idsOver(item) } };
  writes.updateMany(BudgetModel, filter, { $inc: { inFlightMicrodollars: -microdollars, revision: 1 } });
}

export function countAnew(scope: WriteScope, budgetIds: readonly string[]): void {
  for (const _id of budgetIds) scope.writes.rely(existing(scope, _id), 'shared', { set: { countedPeriod: null } });
}

function existing({ caller: { organizationId } }: WriteScope, _id: string): Ground {
  return { of: BudgetModel, filter: { organizationId, _id }, counter: 'revision' };
}

export function forgetBudget({ caller: { organizationId }, writes }: WriteScope, budgetId: string): void {
  writes.removeMany(BudgetModel, { organizationId, _id: budgetId });
}

export async function forgetBudgetsOfProject(
  { caller, tx }: TransactionScope & Scope,
  projectId: string,
): Promise<void> {
  await BudgetModel.deleteMany({ organizationId: caller.organizationId, projectId }, { session: tx });
}

/** @param limit null: none */
export async function saveBudget(
  { caller: { organizationId }, tx }: TransactionScope & Scope,
  of: { readonly _id: string; readonly projectId: string; readonly taskId: string | null },
  limit: { readonly limitMicrodollars: number; readonly period: BudgetPeriod } | null,
): Promise<{ readonly before: BudgetRecord | null; readonly saved: BudgetRecord | null }> {
  const { _id, projectId, taskId } = of;
  const before = await BudgetModel.findOne({ organizationId, _id }, null, { session: tx }).lean();
  await BudgetModel.deleteOne({ organizationId, _id }, { session: tx });
  if (!limit) return { before, saved: null };
  const record: BudgetRecord = {
    ...{ _id, organizationId, projectId, taskId, ...limit },
    ...{ spentMicrodollars: 0, countedPeriod: null, revision: (before?.revision ?? 0) + 1 },
  };
  await BudgetModel.insertMany([record], { session: tx, lean: true });
  return { before, saved: record };
}

/** Which of the given items are below one of these. */
export async function idsBelow(
  scope: Scope,
  itemIds: readonly string[],
  aboveIds: readonly string[],
): Promise<Set<string>> {
  return new Set((await foundBelow(scope, itemIds, aboveIds)).map(({ _id }) => _id));
}

/** Which of these have one of the given items below them. */
export async function idsWithBelow(
  scope: Scope,
  itemIds: readonly string[],
  aboveIds: readonly string[],
): Promise<Set<string>> {
  const phrases = new Set((await foundBelow(scope, itemIds, aboveIds)).flatMap(({ foundBy }) => foundBy));
  return new Set(aboveIds.filter((id) => phrases.has(below(id))));
}

async function foundBelow(
  { caller: { organizationId } }: Scope,
  itemIds: readonly string[],
  aboveIds: readonly string[],
): Promise<Pick<ItemRecord, '_id' | 'foundBy'>[]> {
  if (aboveIds.length === 0) return [];
  return ItemModel.aggregate<Pick<ItemRecord, '_id' | 'foundBy'>>([
    { $match: { organizationId, _id: { $in: itemIds }, foundBy: { $in: aboveIds.map(below) } } },
    { $project: { foundBy: 1 } },
  ]);
}
