import { flush } from '@worktrack/runtime/database/flush';
import type { TransactionScope } from '@worktrack/runtime/database/implement';
import { Stale } from '@worktrack/runtime/database/stale';
import { conflict, transaction } from '@worktrack/runtime/database/transaction';
import { WriteSet } from '@worktrack/runtime/database/write-set';

const DEADLINE_MS = 10_000;

/**
 * Runs `work` in a transaction, for what the service does of its own accord rather than for a call. Runs it again if something it relies on has changed.
 * A commit that was reported but not made goes unnoticed here: everything stored this way is later found undone and done again.
 */
export async function store<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T> {
  let stored = new WriteSet();
  const answer = await transaction(Date.now() + DEADLINE_MS, async (tx) => {
    stored = new WriteSet();
    const done = await work({ tx, writes: stored });
    const [error] = (await flush(tx, [stored])).values();
    if (error) throw error instanceof Stale ? conflict() : error;
    return done;
  });
  stored.settle('stored');
  return answer;
}
