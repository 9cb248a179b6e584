import type { Report, Used, UsedBy } from './records.ts';

type Parts = Pick<Used, 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens'>;

/** Thousandths of a dollar per million tokens: whole numbers, so that everything adds up exactly. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
}
const PRICES: Readonly<Record<string, Price>> = {
  'gpt-4o': { input: 2_500, output: 10_000, cached: 1_250, written: 2_500 },
  'claude-sonnet-4-5': { input: 3_000, output: 15_000, cached: 300, written: 3_750 },
};
/** Models with a known price, and one that does not exist. */
export const MODELS = [...Object.keys(PRICES), 'of-our-own'];

/** @param before what the same work had used when it last reported */
export function usedBy(report: Report, before: UsedBy | undefined): Used {
  const { totalTokens } = report;
  const isTotalAlone = report.inputTokens === undefined && report.outputTokens === undefined;
  const parts = isTotalAlone && before ? scaled(before, totalTokens) : partsOf(report);
  return { totalTokens, ...parts, ...costOf(report, parts, before) };
}

function partsOf({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Partial<Report>): Parts {
  return {
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cachedInputTokens: cachedInputTokens ?? null,
    cacheWriteTokens: cacheWriteTokens ?? null,
  };
}

/** A total alone is split as what was reported before. */
function scaled(before: Used, totalTokens: number): Parts {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = before;
  if (inputTokens === null && outputTokens === null) return partsOf({});
  const share = (part: number | null) =>
    part === null || before.totalTokens === 0 ? 0 : Math.floor((part * totalTokens) / before.totalTokens);
  const input = inputTokens ?? before.totalTokens - (outputTokens ?? 0);
  const ofTotal = before.totalTokens === totalTokens ? input : share(input);
  // Neither part may account for some of it.
  const isWhole = outputTokens === null || input + outputTokens === before.totalTokens;
  const ofOutput = before.totalTokens === totalTokens ? outputTokens : share(outputTokens);
  return {
    inputTokens: ofTotal,
    outputTokens: isWhole ? totalTokens - ofTotal : ofOutput,
    cachedInputTokens: cachedInputTokens === null ? null : share(cachedInputTokens),
    cacheWriteTokens: cacheWriteTokens === null ? null : share(cacheWriteTokens),
  };
}

type Cost = Pick<Used, 'cost' | 'costBasis'>;

function costOf(report: Report, parts: Parts, before: UsedBy | undefined): Cost {
  if (report.costUsd !== undefined) return { cost: Math.round(report.costUsd * 1_000_000), costBasis: 'paid' };
  const paid = before?.costBasis === 'paid' ? before : undefined;
  const whole = { totalTokens: report.totalTokens, ...parts };
  const earlier = beforeModel(before, report.model);
  const priced =
    earlier && earlier.totalTokens <= report.totalTokens
      ? added(earlier, whole, report.model)
      : priceOf(report.model, whole);
  // What was paid for these very tokens still holds; where nothing else is known, it is all that there is.
  if (paid && (priced.cost === null || paid.totalTokens === report.totalTokens)) {
    return { cost: paid.cost, costBasis: 'paid' };
  }
  // Other tokens do not undo what was paid.
  if (paid?.cost && paid.cost > Number(priced.cost)) return { cost: paid.cost, costBasis: 'paid' };
  return priced;
}

/** What had been used before this model took over: it keeps its cost. What came before any model was named is of the first one. */
export function beforeModel(last: UsedBy | undefined, model: string): Used | undefined {
  return last && last.model !== 'unknown' && last.model !== model ? last : last?.earlier;
}

const CERTAINTY: readonly Used['costBasis'][] = ['paid', 'split', 'total'];

/** The earlier use and the use since then, each at its price. */
function added(earlier: Used, whole: Parts & { readonly totalTokens: number }, model: string): Cost {
  const totalTokens = whole.totalTokens - earlier.totalTokens;
  const since = { ...restOf({ ...whole, cost: null, costBasis: 'unpriced' }, earlier), totalTokens };
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached, cacheWriteTokens: written } = since;
  const isTooMuch = Number(input) + Number(output) > totalTokens || Number(cached) + Number(written) > Number(input);
  // Where one of the two does not say its parts, the difference has those of the whole.
  const parts = isTooMuch ? scaled({ ...whole, cost: null, costBasis: 'unpriced' }, totalTokens) : since;
  const { cost, costBasis } = priceOf(model, { ...parts, totalTokens });
  if (cost === null || totalTokens === 0) return { cost: earlier.cost, costBasis: earlier.costBasis };
  if (earlier.cost === null) return { cost, costBasis };
  const least = Math.max(CERTAINTY.indexOf(costBasis), CERTAINTY.indexOf(earlier.costBasis));
  return { cost: earlier.cost + cost, costBasis: CERTAINTY[least] ?? 'unpriced' };
}

function priceOf(model: string, { totalTokens, ...parts }: Parts & { readonly totalTokens: number }): Cost {
  const price = PRICES[model];
  if (!price) return { cost: null, costBasis: 'unpriced' };
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = parts;
  const [cached, written] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  // With only a total, three parts input to one part output.
  const otherwise = outputTokens === null ? Math.round((totalTokens * 3) / 4) : totalTokens - outputTokens;
  const input = inputTokens ?? otherwise;
  const output = outputTokens ?? totalTokens - input;
  // What neither part accounts for is priced as a total is.
  const rest = totalTokens - input - output;
  const restInput = Math.round((rest * 3) / 4);
  const thousandths =
    (input + restInput - cached - written) * price.input +
    cached * price.cached +
    written * price.written +
    (output + rest - restInput) * price.output;
  const isSplit = inputTokens !== null || outputTokens !== null;
  const cost = Math.floor((thousandths + 500) / 1_000);
  return { cost, costBasis: isSplit ? 'split' : 'total' };
}

/** Parts that a heartbeat without a total leaves out stay as they were; those of a cache only if the input still has room for them. */
export function unsaidParts(said: Partial<Report>, before: Used | undefined): Partial<Report> {
  const { totalTokens, inputTokens, outputTokens } = said;
  if (!before || totalTokens !== undefined || (inputTokens === undefined && outputTokens === undefined)) return {};
  const input = inputTokens ?? before.inputTokens;
  const cached = said.cachedInputTokens ?? before.cachedInputTokens;
  const written = said.cacheWriteTokens ?? before.cacheWriteTokens;
  const isTooMuch = (cached ?? 0) + (written ?? 0) > (input ?? 0);
  return {
    ...{ inputTokens: input ?? undefined, outputTokens: outputTokens ?? before.outputTokens ?? undefined },
    ...(!isTooMuch && { cachedInputTokens: cached ?? undefined, cacheWriteTokens: written ?? undefined }),
  };
}

/** The paid cost does not fall with a later heartbeat, whatever an estimate said in between. */
export const paidSoFar = ({ costUsd }: Partial<Report>, paid: number | undefined): number | undefined =>
  costUsd === undefined ? paid : Math.max(Math.round(costUsd * 1_000_000), paid ?? 0);

/** The rest of a session of which a part was recorded when its lease ended. */
export function restOf(whole: Used, recorded: Used | undefined): Used {
  if (!recorded) return whole;
  const less = (all: number | null, some: number | null) => (all === null ? null : Math.max(0, all - (some ?? 0)));
  return {
    totalTokens: Math.max(0, whole.totalTokens - recorded.totalTokens),
    inputTokens: less(whole.inputTokens, recorded.inputTokens),
    outputTokens: less(whole.outputTokens, recorded.outputTokens),
    cachedInputTokens: less(whole.cachedInputTokens, recorded.cachedInputTokens),
    cacheWriteTokens: less(whole.cacheWriteTokens, recorded.cacheWriteTokens),
    cost: less(whole.cost, recorded.cost),
    costBasis: whole.costBasis,
  };
}

export const dollars = (microdollars: number) => (microdollars / 1_000_000).toFixed(6);
export const shownCost = ({ cost }: Used) => (cost === null ? 'unknown' : dollars(cost));
