import { databaseServer } from './server.ts';
import type { AnyModel, OrderedRead } from './walk-index.ts';

export type { Order, OrderedRead, PageEnd } from './walk-index.ts';

/**
 * Reads the first documents in an order, at a cost independent of how many there are and how deep the page starts.
 */
export function inOrder<Row>(model: AnyModel, read: OrderedRead): Promise<Row[]> {
  return databaseServer().inOrder(model, read);
}

/**
 * Counts what `inOrder` would read, up to a limit, at a cost that depends on the limit alone as long as many match.
 * @returns at most `limit`
 */
export function countInOrder(model: AnyModel, read: Omit<OrderedRead, 'present'>): Promise<number> {
  return databaseServer().countInOrder(model, read);
}
