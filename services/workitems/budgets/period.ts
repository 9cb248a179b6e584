import type { BudgetPeriod } from '@worktrack/contracts/work-items/costs/budget';

const LENGTH: Readonly<Record<Exclude<BudgetPeriod, 'total'>, number>> = {
  day: 'YYYY-MM-DD'.length,
  month: 'YYYY-MM'.length,
};

/** How budgets are counted: what was counted in another way is counted again. */
const VERSION = '2';

/** The name of the current period (UTC), in which a count is valid: that of `total`, `2026-01-31` or `2026-01`. */
export function periodAt(period: BudgetPeriod, at: Date): string {
  return `${nameOf(period, at)}/${VERSION}`;
}

const nameOf = (period: BudgetPeriod, at: Date) =>
  period === 'total' ? period : at.toISOString().slice(0, LENGTH[period]);

/** When the period began; undefined for a total. */
export function beginOf(period: BudgetPeriod, at: Date): Date | undefined {
  return period === 'total' ? undefined : new Date(nameOf(period, at));
}
