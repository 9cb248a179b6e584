import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDollars, priceOf, providerOf } from './price.ts';

const at = new Date('2026-09-01T12:00:00Z');
const price = async (
  provider: string,
  model: string,
  ...[totalTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens]: number[]
) => {
  const use = { totalTokens: totalTokens ?? 0, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens };
  return (await priceOf(provider, model, use, at)).costMicrodollars ?? undefined;
};

test.each([
  // Claude Opus 4.5: $5 input, $25 output per million; GPT-5: $1.25 and $10; GPT-4o mini: $0.15 and $0.60.
  ['a total alone is three parts input to one part output', ['anthropic', 'claude-opus-4-5', 1_000_000], 10_000_000],
  ['given parts are taken as they are', ['anthropic', 'claude-opus-4-5', 1_000_000, 900_000, 100_000], 7_000_000],
  ['a given input leaves the rest to the output', ['openai', 'gpt-5', 1000, 600], 600 * 1.25 + 400 * 10],
  ['a given output leaves the rest to the input', ['openai', 'gpt-5', 1000, undefined, 400], 600 * 1.25 + 400 * 10],
  [
    'what the parts leave of the total is split as a total is',
    ['openai', 'gpt-5', 1_000_000, 10_000, 10_000],
    (10_000 + 735_000) * 1.25 + (10_000 + 245_000) * 10,
  ],
  ['a single token of a cheap model rounds to the nearest micro-dollar', ['openai', 'gpt-4o-mini', 1, 0, 1], 1],
  [
    'what was read from a cache and written to it has its own price',
    ['anthropic', 'claude-opus-4-5', 1_000_000, 900_000, 100_000, 500_000, 200_000],
    200_000 * 5 + 500_000 * 0.5 + 200_000 * 6.25 + 100_000 * 25,
  ],
  ['no tokens cost nothing', ['openai', 'gpt-5', 0], 0],
  ['the name of the provider may be in any case', ['Anthropic', 'claude-opus-4-5', 1_000_000], 10_000_000],
  [
    'the default provider beside a model of another maker takes the maker’s price',
    ['openai', 'claude-opus-4-5', 1_000_000],
    10_000_000,
  ],
  [
    'a long session is not one long context: the base tier holds',
    ['anthropic', 'claude-sonnet-4-5', 4_000_000],
    24_000_000,
  ],
] as const)('%s', async (_, [provider, model, ...tokens], expected) => {
  expect(await price(provider, model, ...(tokens as unknown as [number]))).toBe(expected);
});

test.each([
  ['openai/gpt-5', 'openai'],
  ['vertex_ai/gemini-2.5-pro', 'google'],
  ['bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0', 'aws'],
  ['openrouter/openai/gpt-4o', 'openrouter'],
])('%s names its provider before the slash: %s, whose price applies', async (model, provider) => {
  expect(await providerOf(model, at)).toBe(provider);
  const expected = await price(provider, model.slice(model.indexOf('/') + 1), 1_000_000);
  expect(expected).toBeGreaterThan(0);
  for (const said of [provider, 'anthropic', 'openai']) expect(await price(said, model, 1_000_000)).toBe(expected);
  expect(await price('another-router', model, 1_000_000)).toBeUndefined();
});

test.each([
  ['a provider before the slash that nobody knows', 'anthropic', 'my-own-gpu/claude-opus-4-5'],
  ['a model that nobody knows', 'anthropic', 'claude-of-the-year-3000'],
  ['a provider that nobody knows, whatever the model', 'my-own-gpu', 'claude-opus-4-5'],
  ['a model that is priced by seconds of audio', 'openai', 'whisper-1'],
  ['a name of JavaScript’s own', '__proto__', 'constructor'],
])('%s has no price rather than a made-up one', async (_, provider, model) => {
  expect(await price(provider, model, 1000)).toBeUndefined();
});

describe('any session', () => {
  const sessions = fc.record({
    model: fc.constantFrom('claude-opus-4-5', 'claude-haiku-4-5', 'gpt-5', 'gpt-4o-mini', 'o3'),
    input: fc.nat(200_000),
    output: fc.nat(50_000),
  });

  test('costs what the price library says for one request of that size', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async ({ model, input, output }) => {
        const provider = model.startsWith('claude') ? 'anthropic' : 'openai';
        const expected = calcPrice({ input_tokens: input, output_tokens: output }, model, {
          providerId: provider,
          timestamp: at,
        });
        const cost = await price(provider, model, input + output, input, output);
        // The library calculates in binary fractions: equal to less than a micro-dollar.
        expect(Math.abs((cost as number) - (expected?.total_price as number) * 1e6)).toBeLessThan(0.51);
      }),
    );
  });

  test('and its cost is shown in dollars with six decimals, exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 9_000_000_000_000_000n }), (microdollars) => {
        const shown = formatDollars(Number(microdollars));
        expect(shown).toMatch(/^\d+\.\d{6}$/);
        expect(BigInt(shown.replace('.', ''))).toBe(microdollars);
      }),
    );
  });
});
