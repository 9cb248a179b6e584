import type { Input, Output } from '@worktrack/contracts/operation';
import type { listModelPrices as operation } from '@worktrack/contracts/work-items/costs/model-prices';
import { knownPrices, SOURCE } from '../sessions/known-prices.ts';
import { filePrices, patternOf } from '../sessions/price-file.ts';

export async function listModelPrices({ provider, model }: Input<typeof operation>): Promise<Output<typeof operation>> {
  const own = await filePrices();
  const known = await knownPrices(provider, new Date());
  const isOfProvider = (given: string) => provider === undefined || given.toLowerCase() === provider.toLowerCase();
  const prices = [...own.filter((price) => isOfProvider(price.provider)), ...known];
  return { source: SOURCE, prices: model ? prices.filter(({ pattern }) => patternOf(pattern).test(model)) : prices };
}
