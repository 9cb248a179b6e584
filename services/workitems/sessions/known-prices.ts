import type { Provider } from '@pydantic/genai-prices';
import type { ModelPrice } from '@worktrack/contracts/work-items/costs/model-prices';
import { ratesIn } from './price.ts';

/** Of which the prices are that MODEL_PRICES_FILE does not give: the release of the data, and its day. */
export const SOURCE = { name: 'github.com/pydantic/genai-prices', version: '0.1.8', date: '2026-09-23' };

/** The prices of tokens in the bundled data. @param provider only its prices */
export async function knownPrices(provider: string | undefined, at: Date): Promise<ModelPrice[]> {
  const { calcPrice, findProvider, waitForUpdate } = await import('@pydantic/genai-prices');
  const wanted = provider === undefined ? undefined : findProvider({ providerId: provider.toLowerCase() });
  const providers = provider === undefined ? ((await waitForUpdate()) ?? []) : wanted ? [wanted] : [];
  return providers.flatMap(({ id, models }) =>
    models.flatMap((model) => {
      const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model.id, { providerId: id, timestamp: at });
      const rates = found && ratesIn(found.model_price);
      if (!rates) return [];
      const price = {
        provider: id,
        inputUsdPerMillion: rates.input ?? 0,
        outputUsdPerMillion: rates.output ?? 0,
        ...(rates.cached !== undefined && { cachedInputUsdPerMillion: rates.cached }),
        ...(rates.written !== undefined && { cacheWriteUsdPerMillion: rates.written }),
      };
      return patternsOf(model).map((pattern) => ({ pattern, ...price }));
    }),
  );
}

type Model = Provider['models'][number];

/** A condition that no pattern can say stands as the model's own name. */
function patternsOf({ id, match }: Model): string[] {
  if ('or' in match) return [...new Set(match.or.flatMap((part) => patternsOf({ id, match: part } as Model)))];
  if ('equals' in match) return [match.equals];
  if ('starts_with' in match) return [`${match.starts_with}*`];
  if ('ends_with' in match) return [`*${match.ends_with}`];
  return 'contains' in match ? [`*${match.contains}*`] : [id];
}
