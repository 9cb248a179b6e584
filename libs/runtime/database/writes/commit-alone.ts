import type { ClientSession } from 'mongoose';
import { conflict, transaction } from '../transaction.ts';
import { flush } from './flush.ts';
import { nextAttempt } from './group-commit.ts';
import { Stale } from './stale.ts';
import { type CommitOutcome, WriteSet } from './write-set.ts';

/** Inside one transaction: reads through `tx` see one moment, and everything put into `writes` is sent at its end. */
export interface TransactionScope {
  readonly tx: ClientSession;
  readonly writes: WriteSet;
}

/** For writes that a service makes of its own accord rather than for a call. */
const DEADLINE_MS = 10_000;

/**
 * Runs `work` in a transaction of its own, and again from the start as long as something it relies on changes. Anything waiting for the
 * outcome of its set (`afterwards`) is notified.
 * @param options `isStored` as for `transaction`. Without it, a commit that was reported but not made goes unnoticed: only for what is later found undone and done again
 */
export async function commitAlone<T>(
  work: (scope: TransactionScope) => Promise<T>,
  options: { readonly deadlineAtMs?: number; readonly isStored?: () => Promise<boolean> } = {},
): Promise<T> {
  let writes: WriteSet | undefined;
  let outcome: CommitOutcome = 'unknown';
  try {
    const answer = await transaction(
      options.deadlineAtMs ?? Date.now() + DEADLINE_MS,
      async (tx) => {
        // The set of an attempt that came to nothing, unless it is run again because the reply to its commit was lost.
        writes?.conclude(writes.isSent ? 'unknown' : 'unused');
        writes = new WriteSet();
        const result = await work({ tx, writes });
        const [error] = (await flush(tx, [writes])).values();
        if (error) throw error instanceof Stale ? conflict() : error;
        return result;
      },
      options.isStored,
      // Without turns, of sixteen that made projects at once each ran eight times, and some until their deadline.
      (attempt) => nextAttempt(writes?.exclusiveKeys ?? new Set(), attempt),
    );
    outcome = 'stored';
    return answer;
  } finally {
    writes?.conclude(outcome);
  }
}
