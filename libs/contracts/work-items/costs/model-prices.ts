import { z } from 'zod';
import { operation } from '../../operation.ts';

const UsdPerMillion = z.number().min(0).max(1_000_000);

/** What a provider charges for the tokens of a model, as routes show it and MODEL_PRICES_FILE says it. */
export const ModelPrice = z.object({
  /** Of model names, in any case; `*` stands for anything. */
  pattern: z.string().min(1).max(200),
  provider: z.string().min(1).max(100),
  inputUsdPerMillion: UsdPerMillion,
  outputUsdPerMillion: UsdPerMillion,
  /** Without one, it is input like any other. */
  cachedInputUsdPerMillion: UsdPerMillion.optional(),
  cacheWriteUsdPerMillion: UsdPerMillion.optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

export const listModelPrices = operation({
  name: 'workItems.modelPrices',
  summary: 'List the prices that AI sessions are calculated with; the first that fits a provider and a model holds.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    provider: z.string().max(100).optional(),
    model: z.string().max(200).optional().describe('Only prices for this name'),
  }),
  output: z.object({
    /** Where the prices that MODEL_PRICES_FILE does not give come from. */
    source: z.object({ name: z.string(), version: z.string(), date: z.string() }),
    prices: z.array(ModelPrice),
  }),
  errors: [],
  example: {
    input: { provider: 'openai', model: 'gpt-4o' },
    output: {
      source: { name: 'github.com/pydantic/genai-prices', version: '0.1.8', date: '2026-11-20' },
      prices: [
        {
          pattern: 'gpt-4o',
          provider: 'openai',
          inputUsdPerMillion: 2.5,
          outputUsdPerMillion: 10,
          cachedInputUsdPerMillion: 1.25,
        },
      ],
    },
  },
  rest: 'GET /api/model-prices',
});
