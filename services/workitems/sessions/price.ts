import type { calcPrice } from '@pydantic/genai-prices';
import type { CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import { filePriceOf } from './price-file.ts';

/** What work has used, as reported. Input includes what was read from and written to a cache. */
export interface TokenUse {
  readonly totalTokens: number;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** What was really paid. */
  readonly costUsd?: number | undefined;
}

export interface Price {
  /** Whole; null: not known. */
  readonly costMicrodollars: number | null;
  readonly costBasis: CostBasis;
}

/** With only a total: three parts input to one part output. */
const INPUT_SHARE = 0.75;

/**
 * Makers that sell only their own models. They are the tools' defaults, so for another maker's model the model's name is
 * the better evidence, and that maker's price applies.
 */
const FIRST_PARTY = ['anthropic', 'openai'];

const RATE_SCALE = 1_000_000n;

/**
 * What a session cost: what was paid, if that is known, else by MODEL_PRICES_FILE, else by the data of @pydantic/genai-prices (never fetched at run time).
 *
 * A session is the sum of many requests, and long-context price tiers apply to each request separately, so the base rates are
 * used. The arithmetic is exact: dollars per million tokens times tokens are micro-dollars, rounded half up.
 * @param at when it ran; prices change over time
 * @returns no cost for a model without a known price, never a guess
 */
export async function priceOf(provider: string, model: string, use: TokenUse, at: Date): Promise<Price> {
  if (use.costUsd !== undefined) return { costMicrodollars: microdollarsOf(use.costUsd), costBasis: 'paid' };
  const rates = await ratesOf(provider, model, at);
  const cost = rates && costAt(rates, split(use));
  if (cost === undefined) return { costMicrodollars: null, costBasis: 'unpriced' };
  const isSplit = use.inputTokens !== undefined || use.outputTokens !== undefined;
  return { costMicrodollars: cost, costBasis: isSplit ? 'split' : 'total' };
}

export const microdollarsOf = (usd: number) => Math.round(usd * MICRODOLLARS);
export const MICRODOLLARS = 1_000_000;

/** Whose model it is, for work that does not say; undefined if nobody knows. */
export async function providerOf(model: string, at: Date): Promise<string | undefined> {
  const own = await filePriceOf(undefined, model);
  if (own) return own.provider;
  const { calcPrice } = await import('@pydantic/genai-prices');
  const known = calcPrice(ONE_OF_EACH, model, { timestamp: at });
  if (known) return known.provider.id;
  const sold = await soldBy(model);
  return sold && (await ratesUnder(sold.provider, sold.model, at)) ? sold.provider : undefined;
}

/** `openai/gpt-4o`, as routers of models write it: what comes before the first slash names the provider. */
export async function soldBy(
  model: string,
): Promise<{ readonly provider: string; readonly model: string } | undefined> {
  const slash = model.indexOf('/');
  if (slash < 1) return undefined;
  const { findProvider } = await import('@pydantic/genai-prices');
  const name = model.slice(0, slash).toLowerCase();
  return { provider: findProvider({ providerId: name })?.id ?? name, model: model.slice(slash + 1) };
}

interface Parts {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
}

/** The parts of a session as they are priced: the given ones, and the total, or what they leave of it, split. */
function split({
  totalTokens,
  inputTokens,
  outputTokens,
  cachedInputTokens = 0,
  cacheWriteTokens = 0,
}: TokenUse): Parts {
  const input =
    inputTokens ?? (outputTokens === undefined ? Math.round(totalTokens * INPUT_SHARE) : totalTokens - outputTokens);
  const output = outputTokens ?? totalTokens - input;
  // What neither part accounts for was used, too, such as the reasoning that some makers count in the total alone.
  const rest = totalTokens - input - output;
  const restInput = Math.round(rest * INPUT_SHARE);
  return {
    input: input + restInput - cachedInputTokens - cacheWriteTokens,
    output: output + rest - restInput,
    cached: cachedInputTokens,
    written: cacheWriteTokens,
  };
}

function costAt(rates: Rates, parts: Parts): number | undefined {
  let scaled = 0n;
  for (const [part, tokens] of Object.entries(parts) as [keyof Parts, number][]) {
    // Without a price of its own, what a cache does is input.
    const rate = rates[part] ?? (part === 'output' ? undefined : rates.input);
    if (tokens > 0 && rate === undefined) return undefined;
    scaled += BigInt(tokens) * scale(rate ?? 0);
  }
  return Number((scaled + RATE_SCALE / 2n) / RATE_SCALE);
}

/** Dollars per million tokens. */
type Rates = { readonly [Part in keyof Parts]: number | undefined };

const ONE_OF_EACH = { input_tokens: 1, output_tokens: 1 };

async function ratesOf(provider: string, model: string, at: Date): Promise<Rates | undefined> {
  const providerId = provider.toLowerCase();
  const isFirstParty = FIRST_PARTY.includes(providerId);
  const rates = await ratesUnder(providerId, model, at);
  if (rates) return rates;
  const { calcPrice } = await import('@pydantic/genai-prices');
  const found = isFirstParty ? calcPrice(ONE_OF_EACH, model, { timestamp: at }) : null;
  if (found) return ratesIn(found.model_price);
  const sold = await soldBy(model);
  return sold && (isFirstParty || sold.provider === providerId) ? ratesUnder(sold.provider, sold.model, at) : undefined;
}

async function ratesUnder(providerId: string, model: string, at: Date): Promise<Rates | undefined> {
  const own = await filePriceOf(providerId, model);
  if (own) {
    const { inputUsdPerMillion: input, outputUsdPerMillion: output } = own;
    return { input, output, cached: own.cachedInputUsdPerMillion, written: own.cacheWriteUsdPerMillion };
  }
  // Loaded with the first session: its data takes 20 MB, which a service that prices nothing does not need.
  const { calcPrice } = await import('@pydantic/genai-prices');
  const found = calcPrice(ONE_OF_EACH, model, { providerId, timestamp: at });
  return found ? ratesIn(found.model_price) : undefined;
}

type ModelPrice = NonNullable<ReturnType<typeof calcPrice>>['model_price'];

/** @returns undefined for a model that is priced by something other than tokens (seconds of audio, images) */
export function ratesIn(price: ModelPrice): Rates | undefined {
  const rate = (name: string) => baseRate(price[name]);
  const [input, output] = [rate('input_mtok'), rate('output_mtok')];
  if (input === undefined && output === undefined) return undefined;
  return { input, output, cached: rate('cache_read_mtok'), written: rate('cache_write_mtok') };
}

function baseRate(rate: ModelPrice[string]): number | undefined {
  return typeof rate === 'object' ? rate.base : rate;
}

function scale(dollarsPerMillion: number): bigint {
  return BigInt(Math.round(dollarsPerMillion * Number(RATE_SCALE)));
}

/** Micro-dollars as dollars with six decimals, as the interface shows costs. */
export function formatDollars(microdollars: number): string {
  const digits = String(microdollars).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

export const UNKNOWN_COST = 'unknown';
