import { serverCapabilities } from './server.ts';
import { inOrderByWindows } from './stand-in/in-order.ts';
import { type AnyModel, type OrderedRead, walkIndex } from './walk-index.ts';

export type { Order, OrderedRead, Place } from './walk-index.ts';

/**
 * Reads the first documents in an order, at a cost independent of how many there are and how deep the page starts.
 */
export function inOrder<Row>(model: AnyModel, read: OrderedRead): Promise<Row[]> {
  return serverCapabilities().sortsByIndex ? walkIndex(model, read) : inOrderByWindows(model, read, walkIndex);
}
