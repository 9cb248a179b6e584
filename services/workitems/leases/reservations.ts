/** Items that a claim of this process is about to take, and when it will be known whether it did. */
const reserved = new Map<string, Promise<void>>();

export function isReserved(itemId: string): boolean {
  return reserved.has(itemId);
}

/**
 * Keeps other claims of this process off an item while one is about to take it: agents that claim at once would all choose the same best task, and all but
 * one try for nothing. It is no lock. What must hold is held by the database, where the claims of other replicas are met too.
 * @returns what ends it
 */
export function reserve(itemId: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  reserved.set(itemId, promise);
  return () => {
    if (reserved.get(itemId) === promise) reserved.delete(itemId);
    resolve();
  };
}

/** Resolves when it is known of one of these whether it was taken. */
export async function oneOf(itemIds: readonly string[]): Promise<void> {
  await Promise.race(itemIds.flatMap((id) => reserved.get(id) ?? []));
}
