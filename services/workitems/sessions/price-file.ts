import { readFile, stat } from 'node:fs/promises';
import { ModelPrice } from '@worktrack/contracts/work-items/costs/model-prices';
import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import { Counter } from 'prom-client';
import { z } from 'zod';

const PriceFile = z.object({ prices: z.array(ModelPrice) });

interface Row {
  readonly price: ModelPrice;
  readonly matches: RegExp;
}

/** A price that changes holds from then on at the latest. */
const LOOK_AGAIN_AFTER_MS = 1_000;

let file: { readonly path: string; readonly log: Log } | undefined;
let rows: readonly Row[] = [];
let readVersion = '';
let lookedAtMs = Number.NEGATIVE_INFINITY;

const unreadable = new Counter({
  name: 'worktrack_model_prices_unreadable_total',
  help: 'Changes of MODEL_PRICES_FILE that could not be read: the prices before them still hold',
  registers: [registry],
});

/** Lets the prices of a file come before those that are known. @throws if it cannot be read: at the start somebody is watching */
export async function usePriceFile(path: string, log: Log): Promise<void> {
  await read(path);
  file = { path, log };
}

/** The prices of the file, in its order, of which the first that fits holds. */
export async function filePrices(): Promise<readonly ModelPrice[]> {
  await lookAgain();
  return rows.map(({ price }) => price);
}

/** @param provider undefined: of anybody's model */
export async function filePriceOf(provider: string | undefined, model: string): Promise<ModelPrice | undefined> {
  await lookAgain();
  const wanted = provider?.toLowerCase();
  return rows.find(
    ({ price, matches }) => (wanted === undefined || price.provider.toLowerCase() === wanted) && matches.test(model),
  )?.price;
}

async function lookAgain(): Promise<void> {
  if (!file || Date.now() - lookedAtMs < LOOK_AGAIN_AFTER_MS) return;
  lookedAtMs = Date.now();
  try {
    await read(file.path);
  } catch (error) {
    unreadable.inc();
    file.log.error({ err: error, path: file.path }, 'MODEL_PRICES_FILE cannot be read; the prices before still hold');
  }
}

async function read(path: string): Promise<void> {
  const { mtimeMs, size } = await stat(path);
  const version = `${mtimeMs} ${size}`;
  if (version === readVersion) return;
  // Before it is parsed, so that a broken file is reported once.
  readVersion = version;
  const { prices } = PriceFile.parse(JSON.parse(await readFile(path, 'utf8')));
  rows = prices.map((price) => ({ price, matches: patternOf(price.pattern) }));
}

/** `*` is anything, everything else itself, in any case. */
export function patternOf(pattern: string): RegExp {
  const literal = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literal.join('.*')}$`, 'i');
}
