import type { calcPrice } from '@pydantic/genai-prices';

/** What a session used. Both input and output, or neither: the total is then split by INPUT_SHARE. */
export interface TokenUse {
  readonly totalTokens: number;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
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
 * What a session cost, from the bundled data of @pydantic/genai-prices (never fetched at run time).
 *
 * A session is the sum of many requests, and long-context price tiers apply to each request separately, so the base rates are
 * used. The arithmetic is exact: dollars per million tokens times tokens are micro-dollars.
 * @param at when it ran; prices change over time
 * @returns whole micro-dollars (rounded half up), or undefined for a model without a known price, never a guess
 */
export async function priceMicrodollars(
  provider: string,
  model: string,
  use: TokenUse,
  at: Date,
): Promise<number | undefined> {
  const rates = await ratesOf(provider, model, at);
  if (!rates) return undefined;
  const { input, output } = split(use);
  if ((input > 0 && rates.input === undefined) || (output > 0 && rates.output === undefined)) return undefined;
  const scaled = BigInt(input) * scale(rates.input ?? 0) + BigInt(output) * scale(rates.output ?? 0);
  return Number((scaled + RATE_SCALE / 2n) / RATE_SCALE);
}

/** Input and output tokens of a session as they are priced: the given ones, or the total split. */
function split({ totalTokens, inputTokens, outputTokens }: TokenUse): { input: number; output: number } {
  if (inputTokens !== undefined) return { input: inputTokens, output: outputTokens ?? totalTokens - inputTokens };
  if (outputTokens !== undefined) return { input: totalTokens - outputTokens, output: outputTokens };
  const input = Math.round(totalTokens * INPUT_SHARE);
  return { input, output: totalTokens - input };
}

interface Rates {
  /** Dollars per million tokens. */
  readonly input: number | undefined;
  readonly output: number | undefined;
}

async function ratesOf(provider: string, model: string, at: Date): Promise<Rates | undefined> {
  // Loaded with the first session: its data takes 20 MB, which a service that prices nothing does not need.
  const { calcPrice } = await import('@pydantic/genai-prices');
  const providerId = provider.toLowerCase();
  const oneOfEach = { input_tokens: 1, output_tokens: 1 };
  const found =
    calcPrice(oneOfEach, model, { providerId, timestamp: at }) ??
    (FIRST_PARTY.includes(providerId) ? calcPrice(oneOfEach, model, { timestamp: at }) : null);
  if (!found) return undefined;
  const input = baseRate(found.model_price.input_mtok);
  const output = baseRate(found.model_price.output_mtok);
  // Without either, the model is priced by something other than tokens (seconds of audio, images).
  return input === undefined && output === undefined ? undefined : { input, output };
}

type Rate = NonNullable<ReturnType<typeof calcPrice>>['model_price'][string];

function baseRate(rate: Rate): number | undefined {
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
