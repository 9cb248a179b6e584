import type { Input } from '@worktrack/contracts/operation';
import {
  NEED_KINDS,
  type Needed,
  type NeedKind,
  type listNeeds as operation,
} from '@worktrack/contracts/work-items/attention';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BudgetRecord } from '../budgets/budgets.model.ts';
import { counted, isNearlySpent } from '../budgets/budgets.repository.ts';
import { toBudget } from '../budgets/budgets.ts';
import type { Scope } from '../calls/scope.ts';
import { presentedSummaries } from '../items/shown/present.ts';
import { shownItems } from '../items/shown/shown.repository.ts';
import { countNeedy, type NeedyItem, neediestItems, type StoredKind, warnedBudgets } from './attention.repository.ts';

type After = Input<typeof operation>['after'];

/** Kind by kind, each from its index, until the page is full. */
export const listNeeds: Read<typeof operation> = async ({ kinds, names, after, limit }, context) => {
  const budgets = (await spentBudgets(context)).map((budget) => ({ budget, since: sinceOf(budget) }));
  budgets.sort((a, b) => a.since.getTime() - b.since.getTime() || (a.budget._id < b.budget._id ? -1 : 1));
  // First, since most kinds are empty: one that is has nothing to look for.
  const each = await Promise.all(
    NEED_KINDS.map(
      async (kind): Promise<[NeedKind, number]> => [
        kind,
        kind === 'budget' ? budgets.length : await countNeedy(context, kind, names),
      ],
    ),
  );
  const counts = Object.fromEntries(each) as Record<NeedKind, number>;
  const needed: Needed[] = [];
  const wanted = NEED_KINDS.slice(after ? NEED_KINDS.indexOf(after.kind) : 0).filter(
    (kind) => kinds.includes(kind) && counts[kind] > 0,
  );
  for (const kind of wanted) {
    const left = limit + 1 - needed.length;
    if (left <= 0 || limit === 0) break;
    const from = after?.kind === kind ? after : undefined;
    if (kind === 'budget') {
      const rest = budgets.filter(({ budget, since }) => !from || isBeyond(from, since, budget._id)).slice(0, left);
      needed.push(...(await ofBudgets(context, rest)));
      continue;
    }
    const place = from && { value: new Date(from.since), id: from.id };
    const items = await neediestItems(context, kind, names, { after: place, limit: left });
    needed.push(...(await ofItems(context, kind, items)));
  }
  return { needed, counts };
};

async function ofItems(scope: Scope, kind: StoredKind, items: readonly NeedyItem[]): Promise<Needed[]> {
  const summaries = await presentedSummaries(scope, items);
  return items.map((item, at) => {
    const { _id: id, projectId, needs, blocked, assigned, previous, version } = item;
    const since = (kind === 'blocked' ? blocked : kind === 'assigned' ? assigned : needs)?.since ?? new Date(0);
    const on = kind === 'blocked' ? (blocked?.on ?? []) : [];
    return {
      ...{ kind, id, since: since.toISOString(), projectId },
      workItem: summaries[at] as (typeof summaries)[number],
      version,
      ...(on.length > 0 && { blockedBy: on.map(({ taskId, why }) => ({ taskId, reason: why })) }),
      ...(previous && tellsOf(kind, previous) && { previous: { ...previous, at: previous.at.toISOString() } }),
    };
  });
}

/** What a person moved there was not handed over by the agent that had it before. */
const tellsOf = (kind: StoredKind, { endedBecause }: NonNullable<NeedyItem['previous']>): boolean =>
  kind === 'failed' || ((kind === 'review' || kind === 'validation') && endedBecause === 'completed');

/** As of now: what was spent in an earlier period no longer counts. */
async function spentBudgets(scope: Scope): Promise<BudgetRecord[]> {
  return (await counted(scope, await warnedBudgets(scope), new Date())).filter(isNearlySpent);
}

const sinceOf = ({ warned }: BudgetRecord) => warned?.at ?? new Date(0);

const isBeyond = (from: NonNullable<After>, since: Date, id: string) =>
  since.toISOString() > from.since || (since.toISOString() === from.since && id > from.id);

async function ofBudgets(
  scope: Scope,
  budgets: readonly { readonly budget: BudgetRecord; readonly since: Date }[],
): Promise<Needed[]> {
  const items = await shownItems(
    scope,
    budgets.flatMap(({ budget }) => (budget.taskId === null ? [] : [budget._id])),
  );
  const summaries = await presentedSummaries(scope, items);
  return budgets.map(({ budget, since }) => {
    const workItem = summaries.find(({ id }) => id === budget._id);
    return {
      ...{ kind: 'budget' as const, id: budget._id, since: since.toISOString(), projectId: budget.projectId },
      ...(workItem && { workItem }),
      budget: toBudget(budget),
    };
  });
}
