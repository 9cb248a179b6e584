const queues = new Map<string, Promise<unknown>>();

/**
 * Runs the works of one key one after the other, in this process. Not for correctness (the transaction sees to that, over all replicas)
 * but against conflicts: agents that claim at once all want the same best task, and each lost race is a transaction for nothing.
 */
export function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  queues.set(key, mine);
  const tidy = () => queues.get(key) === mine && queues.delete(key);
  mine.then(tidy, tidy);
  return mine;
}
