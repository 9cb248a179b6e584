import { serverCapabilities } from './server.ts';
import { countByWindows } from './stand-in/count.ts';
import { inOrderByWindows } from './stand-in/in-order.ts';
import { type AnyModel, countIndex, type OrderedRead, walkIndex } from './walk-index.ts';

export type { Order, OrderedRead, PageEnd } from './walk-index.ts';

/**
 * Reads the first documents in an order, at a cost independent of how many there are and how deep the page starts.
 */
export function inOrder<Row>(model: AnyModel, read: OrderedRead): Promise<Row[]> {
  return serverCapabilities().sortsByIndex ? walkIndex(model, read) : inOrderByWindows(model, read, walkIndex);
}

/**
 * Counts what `inOrder` would read, up to a limit, at a cost that depends on the limit alone as long as many match.
 * @returns at most `limit`
 */
export function countInOrder(model: AnyModel, read: Omit<OrderedRead, 'present'>): Promise<number> {
  return serverCapabilities().sortsByIndex
    ? countIndex(model, read)
    : countByWindows(model, read, countIndex, walkIndex);
}
