/** Items that a claim in this process is about to take, each with a promise that settles when the outcome is known. */
const reserved = new Map<string, Promise<void>>();

export function isReserved(itemId: string): boolean {
  return reserved.has(itemId);
}

/**
 * Reserves an item within this process while a claim is about to take it. Otherwise concurrent agents would all choose the same best task, and all but one
 * would try in vain. It is not a lock: the database ensures correctness, also against claims by other replicas.
 * @returns a function that ends the reservation
 */
export function reserve(itemId: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  reserved.set(itemId, promise);
  return () => {
    if (reserved.get(itemId) === promise) reserved.delete(itemId);
    resolve();
  };
}

/** Resolves when the outcome for one of these is known, which may be so already: since they were found to be reserved, others went on. */
export async function oneOf(itemIds: readonly string[]): Promise<void> {
  await Promise.race(itemIds.map((id) => reserved.get(id)));
}
