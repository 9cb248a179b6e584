import type { ClientSession } from 'mongoose';
import { flush } from './flush.ts';
import { Stale } from './stale.ts';
import { conflict, transaction } from './transaction.ts';
import { type Outcome, WriteSet } from './write-set.ts';

/**
 * A separate transaction for what `work` puts into the set, run again from the start as long as something it relies on changes. Anything waiting for the
 * outcome of the set (`afterwards`) is notified.
 * @param isStored as for `transaction`
 */
export async function commitSet<T>(
  deadlineAtMs: number,
  work: (tx: ClientSession, writes: WriteSet) => Promise<T>,
  isStored?: () => Promise<boolean>,
): Promise<T> {
  let writes: WriteSet | undefined;
  let outcome: Outcome = 'unknown';
  try {
    const answer = await transaction(
      deadlineAtMs,
      async (tx) => {
        // The set of an attempt that came to nothing.
        writes?.settle('unused');
        writes = new WriteSet();
        const result = await work(tx, writes);
        const [error] = (await flush(tx, [writes])).values();
        if (error) throw error instanceof Stale ? conflict() : error;
        return result;
      },
      isStored,
    );
    outcome = 'stored';
    return answer;
  } finally {
    writes?.settle(outcome);
  }
}
