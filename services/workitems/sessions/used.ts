import type { Used } from '../items/lease.ts';
import { type Price, priceOf, type TokenUse } from './price.ts';

/**
 * What a session has used in all. A report that gives only a total takes the parts that heartbeats have reported of it, in proportion if it has grown since:
 * they know what the total alone does not say.
 */
export async function usedBy(
  { provider, model, ...use }: TokenUse & { readonly provider: string; readonly model: string },
  before: Used | undefined,
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
  before: Used | undefined,
  at: Date,
): Promise<Price> {
  const price = await priceOf(provider, model, use, at);
  if (before?.costBasis !== 'paid' || price.costBasis === 'paid') return price;
  // What was paid for the same tokens holds, more tokens did not cost less, and it is all that is known where there is no price.
  const isLess = (price.costMicrodollars ?? 0) < (before.costMicrodollars ?? 0);
  const holds = before.totalTokens === use.totalTokens || isLess || price.costBasis === 'unpriced';
  return holds ? { costMicrodollars: before.costMicrodollars, costBasis: 'paid' } : price;
}

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

/** What is left of a session of which some is recorded already. */
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
