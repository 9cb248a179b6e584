/** The last in each queue. */
const lines = new Map<string, Promise<void>>();

/**
 * Runs `work` when it is its turn for all keys: calls that share a key run one at a time. All take turns in the same order, before anything
 * is read or held, so nobody waits in a circle or with something locked. This is only pacing: the database ensures correctness.
 */
export async function inTurn<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const mine: [string, Promise<void>][] = [];
  try {
    for (const key of [...keys].sort()) {
      const before = lines.get(key);
      const line = (before ?? Promise.resolve()).then(() => ended);
      lines.set(key, line);
      mine.push([key, line]);
      await before;
    }
    return await work();
  } finally {
    end();
    for (const [key, line] of mine) if (lines.get(key) === line) lines.delete(key);
  }
}
