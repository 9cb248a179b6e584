import type { Input, Output } from '@worktrack/contracts/operation';
import type { listModelPrices as operation } from '@worktrack/contracts/work-items/costs/model-prices';
import { knownPrices, SOURCE } from '../sessions/known-prices.ts';
import { soldBy } from '../sessions/price.ts';
import { filePrices, patternOf } from '../sessions/price-file.ts';

export async function listModelPrices({ provider, model }: Input<typeof operation>): Promise<Output<typeof operation>> {
  const own = await filePrices();
  const known = await knownPrices(provider, new Date());
  const isOfProvider = (given: string) => provider === undefined || given.toLowerCase() === provider.toLowerCase();
  const prices = [...own.filter((price) => isOfProvider(price.provider)), ...known];
  if (!model) return { source: SOURCE, prices };
  const sold = await soldBy(model);
  const isOfModel = ({ pattern, provider: seller }: (typeof prices)[number]) =>
    patternOf(pattern).test(model) || (seller.toLowerCase() === sold?.provider && patternOf(pattern).test(sold.model));
  return { source: SOURCE, prices: prices.filter(isOfModel) };
}
