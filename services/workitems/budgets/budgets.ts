import type { Budget } from '@worktrack/contracts/work-items/costs/budget';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { type ToldItem, tell } from '../history/tell.ts';
import { ancestorIdsOf } from '../items/found-by.ts';
import { projectHasBudgets } from '../projects/projects.repository.ts';
import { MICRODOLLARS } from '../sessions/price.ts';
import type { BudgetRecord } from './budgets.model.ts';
import {
  addSpent,
  budgetsOfProjects,
  budgetsOver,
  countAnew,
  counted,
  forgetBudget,
  idsOver,
  idsWithBelow,
  isNearlySpent,
  markWarned,
  type Spending,
  type Under,
} from './budgets.repository.ts';
import { periodAt } from './period.ts';

const dollars = (microdollars: number) => microdollars / MICRODOLLARS;

export const isUsedUp = ({ spentMicrodollars, limitMicrodollars }: BudgetRecord) =>
  spentMicrodollars >= limitMicrodollars;

export function toBudget({ taskId, limitMicrodollars, period, spentMicrodollars, ...record }: BudgetRecord): Budget {
  const inFlight = record.inFlightMicrodollars ?? 0;
  return {
    of: taskId ?? 'project',
    limitUsd: dollars(limitMicrodollars),
    period,
    spentUsd: dollars(spentMicrodollars),
    spent: { recordedUsd: dollars(spentMicrodollars - inFlight), inFlightUsd: dollars(inFlight) },
    remainingUsd: dollars(Math.max(0, limitMicrodollars - spentMicrodollars)),
  };
}

/** If there are several, the one that will end the work first. */
export function tightest(budgets: readonly BudgetRecord[]): Budget | null {
  const rest = ({ limitMicrodollars, spentMicrodollars }: BudgetRecord) => limitMicrodollars - spentMicrodollars;
  const [first] = budgets.toSorted((a, b) => rest(a) - rest(b));
  return first ? toBudget(first) : null;
}

export function usedUp(budget: BudgetRecord): string {
  const { taskId, limitMicrodollars, period, spentMicrodollars, inFlightMicrodollars = 0 } = budget;
  const amounts = [
    spentMicrodollars,
    limitMicrodollars,
    inFlightMicrodollars,
    spentMicrodollars - inFlightMicrodollars,
  ];
  const [spent, limit, inFlight, recorded] = amounts.map((amount) => `$${dollars(amount).toFixed(2)}`);
  const per = { total: '', day: ' a day', month: ' a month' }[period];
  const parts = inFlightMicrodollars > 0 ? ` (${recorded} recorded, ${inFlight} by agents still at work)` : '';
  return `The budget of ${taskId ?? 'the project'} is used up: ${spent} of ${limit}${per}${parts}`;
}

/** For a read: all of a project's budgets, counted. */
export async function budgetsToShow(
  scope: Scope,
  projectIds: readonly string[],
  now = new Date(),
): Promise<BudgetRecord[]> {
  if (projectIds.length === 0) return [];
  return counted(scope, await budgetsOfProjects(scope, projectIds), now);
}

/** Those that apply to an item. */
export function over(budgets: readonly BudgetRecord[], item: Under): BudgetRecord[] {
  const ids = new Set(idsOver(item));
  return budgets.filter(({ _id }) => ids.has(_id));
}

type Spender = Under & ToldItem;

/** Spending on an item counts towards all budgets that apply to it. The write relies on the item's board, whose version a new budget raises. */
export async function spend(scope: WriteScope, item: Spender, microdollars: Spending): Promise<void> {
  const isNothing = microdollars.recorded === 0 && microdollars.inFlight === 0;
  if (isNothing || !(await projectHasBudgets(scope, item.projectId))) return;
  const at = new Date();
  for (const budget of await budgetsOver(scope, item)) {
    addSpent(scope, budget._id, microdollars);
    warnOf(scope, item, budget, microdollars.recorded + microdollars.inFlight, at);
  }
}

/**
 * Not every write that nearly exhausts a budget knows it: two writes may do so only together, and before anybody has counted in the budget's period no write
 * knows. The next reader of the budget finds out (`counted`), and the next write tells the log.
 */
function warnOf(scope: WriteScope, item: Spender, budget: BudgetRecord, added: number, at: Date): void {
  const period = periodAt(budget.period, at);
  const after = { ...budget, spentMicrodollars: budget.spentMicrodollars + added };
  const noted = budget.warned?.period === period ? budget.warned : undefined;
  const isTold = noted !== undefined && noted.isTold !== false;
  if (!isNearlySpent(after) || budget.countedPeriod !== period || isTold) return;
  markWarned(scope, budget, { ...(noted ?? { period, at }), isTold: true });
  const { of, spentUsd, limitUsd } = toBudget(after);
  const subject = { ...item, revision: item.revision + 1 };
  tell(scope, subject, 'work_item.needs_attention', { kind: 'budget', of, budgetId: budget._id, spentUsd, limitUsd });
}

/** When something moves within the tree, spending below its old and new ancestors must be recounted. */
export async function moveSpending(scope: WriteScope, item: Under, others: readonly Under[]): Promise<void> {
  if (!(await projectHasBudgets(scope, item.projectId))) return;
  const ids = new Set([item, ...others].flatMap((each) => [each._id, ...ancestorIdsOf(each)]));
  const budgets = await budgetsOfProjects(scope, [item.projectId]);
  countAnew(
    scope,
    budgets.map(({ _id }) => _id).filter((id) => ids.has(id)),
  );
}

/** An item that was deleted, or became a task or an idea, has none. */
export async function dropBudget(scope: WriteScope, item: Under): Promise<void> {
  if (await projectHasBudgets(scope, item.projectId)) forgetBudget(scope, item._id);
}

/** At least those that apply to one of the tasks. @param budgets of the tasks' projects, as stored */
export async function budgetsOverTasks(
  scope: Scope,
  tasks: readonly { readonly _id: string }[],
  budgets: readonly BudgetRecord[],
): Promise<BudgetRecord[]> {
  if (budgets.length === 0) return [];
  const ofItems = await idsWithBelow(
    scope,
    tasks.map(({ _id }) => _id),
    budgets.filter(({ taskId }) => taskId !== null).map(({ _id }) => _id),
  );
  return counted(
    scope,
    budgets.filter(({ _id, taskId }) => taskId === null || ofItems.has(_id)),
    new Date(),
  );
}
