import { COST_BASES, type CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import type { Used, UsedBy } from '../items/lease.model.ts';
import { type Price, priceOf, type TokenUse } from './price.ts';

/** Of an agent that reports tokens without a model. Whichever model it names first has used them. */
export const UNKNOWN_MODEL = 'unknown';

/**
 * A session's total use. A report with only a total takes over the parts that heartbeats have reported, in proportion if the total has grown since: the parts
 * say more than the total alone.
 */
export async function usedBy(
  { provider, model, ...use }: TokenUse & { readonly provider: string; readonly model: string },
  before: UsedBy | undefined,
  at: Date,
): Promise<Used> {
  const isTotalAlone = use.inputTokens === undefined && use.outputTokens === undefined;
  const parts = isTotalAlone && before ? partsOf(before, use.totalTokens) : {};
  const whole: TokenUse = { ...parts, ...given(use) };
  return { ...recorded(whole), ...(await costOf(provider, model, whole, before, at)) };
}

async function costOf(
  provider: string,
  model: string,
  use: TokenUse,
  before: UsedBy | undefined,
  at: Date,
): Promise<Price> {
  const price = await priceAfter(underOthers(before, { model, provider }), provider, model, use, at);
  if (before?.costBasis !== 'paid' || use.costUsd !== undefined) return price;
  // What was paid for the same tokens holds, more tokens did not cost less, and it is all that is known where there is no price.
  const isLess = (price.costMicrodollars ?? 0) < (before.costMicrodollars ?? 0);
  const holds = before.totalTokens === use.totalTokens || isLess || price.costBasis === 'unpriced';
  return holds ? { costMicrodollars: before.costMicrodollars, costBasis: 'paid' } : price;
}

/** What other models have used in all by the time of the last report. undefined: there was no other. */
export function underOthers(
  last: UsedBy | undefined,
  { model, provider }: { readonly model: string; readonly provider: string },
): Used | undefined {
  if (!last) return undefined;
  const isFirst = last.model === undefined || last.model === UNKNOWN_MODEL;
  if (isFirst || (last.model === model && last.provider === provider)) return last.earlier;
  const { costMicrodollars, costBasis } = last;
  return { ...recorded(useOf(last)), costMicrodollars, costBasis };
}

/** The use of other models keeps its cost, and the use since then has the price of this one. */
async function priceAfter(
  earlier: Used | undefined,
  provider: string,
  model: string,
  use: TokenUse,
  at: Date,
): Promise<Price> {
  // A completion that reports less than heartbeats did contradicts them, and is believed.
  if (!earlier || use.costUsd !== undefined || use.totalTokens < earlier.totalTokens) {
    return priceOf(provider, model, use, at);
  }
  const { costMicrodollars, costBasis = 'unpriced' } = earlier;
  const since = sinceOf(use, earlier);
  const price = await priceOf(provider, model, since, at);
  if (price.costMicrodollars === null || since.totalTokens === 0) return { costMicrodollars, costBasis };
  if (costMicrodollars === null) return price;
  return {
    costMicrodollars: costMicrodollars + price.costMicrodollars,
    costBasis: lessCertain(costBasis, price.costBasis),
  };
}

/** The difference; where its parts cannot be told, because one of the two does not say them, in the proportions of the whole. */
function sinceOf(use: TokenUse, earlier: Used): TokenUse {
  const whole = { ...recorded(use), costMicrodollars: null };
  const since = restOf(whole, earlier);
  const areParts =
    (since.inputTokens ?? 0) + (since.outputTokens ?? 0) <= since.totalTokens &&
    (since.cachedInputTokens ?? 0) + (since.cacheWriteTokens ?? 0) <= (since.inputTokens ?? 0);
  return areParts ? useOf(since) : { totalTokens: since.totalTokens, ...partsOf(whole, since.totalTokens) };
}

const lessCertain = (...bases: CostBasis[]): CostBasis =>
  COST_BASES.findLast((basis) => bases.includes(basis)) ?? 'unpriced';

/** The parts of a total, as they were of an earlier one. */
function partsOf(before: Used, totalTokens: number): Partial<TokenUse> {
  if (before.inputTokens === null && before.outputTokens === null) return {};
  const inputBefore = before.inputTokens ?? before.totalTokens - (before.outputTokens ?? 0);
  const share = (part: number | null) => {
    if (part === null || before.totalTokens === totalTokens) return part ?? 0;
    return before.totalTokens === 0 ? 0 : Math.floor((part * totalTokens) / before.totalTokens);
  };
  const inputTokens = share(inputBefore);
  const isAll = before.outputTokens === null || inputBefore + before.outputTokens === before.totalTokens;
  return {
    inputTokens,
    outputTokens: isAll ? totalTokens - inputTokens : share(before.outputTokens),
    ...(before.cachedInputTokens !== null && { cachedInputTokens: share(before.cachedInputTokens) }),
    ...(before.cacheWriteTokens !== null && { cacheWriteTokens: share(before.cacheWriteTokens) }),
  };
}

/** The rest of a session of which a part is recorded already. */
export function restOf(whole: Used, done: Used | undefined): Used {
  if (!done) return whole;
  const less = (all: number | null, some: number | null) => (all === null ? null : Math.max(0, all - (some ?? 0)));
  return {
    totalTokens: Math.max(0, whole.totalTokens - done.totalTokens),
    inputTokens: less(whole.inputTokens, done.inputTokens),
    outputTokens: less(whole.outputTokens, done.outputTokens),
    cachedInputTokens: less(whole.cachedInputTokens, done.cachedInputTokens),
    cacheWriteTokens: less(whole.cacheWriteTokens, done.cacheWriteTokens),
    costMicrodollars: less(whole.costMicrodollars, done.costMicrodollars),
    costBasis: whole.costBasis,
  };
}

const given = (use: TokenUse) =>
  Object.fromEntries(Object.entries(use).filter(([, value]) => value !== undefined)) as unknown as TokenUse;

const useOf = ({ totalTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Used): TokenUse => ({
  totalTokens,
  inputTokens: inputTokens ?? undefined,
  outputTokens: outputTokens ?? undefined,
  cachedInputTokens: cachedInputTokens ?? undefined,
  cacheWriteTokens: cacheWriteTokens ?? undefined,
});

function recorded({ totalTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: TokenUse) {
  return {
    totalTokens,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cachedInputTokens: cachedInputTokens ?? null,
    cacheWriteTokens: cacheWriteTokens ?? null,
  };
}

/** The part of a report that says what was used. */
export function useIn(report: TokenUse): TokenUse {
  const { totalTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, costUsd } = report;
  return { totalTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, costUsd };
}
