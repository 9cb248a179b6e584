import { flush } from '@worktrack/runtime/database/flush';
import type { TransactionScope } from '@worktrack/runtime/database/implement';
import { transaction } from '@worktrack/runtime/database/transaction';
import { WriteSet } from '@worktrack/runtime/database/write-set';

const DEADLINE_MS = 10_000;

/** A step of a longer write, in a transaction of its own. It may be made again: what it has done already it finds done. */
export function commitAlone<T>(step: (scope: TransactionScope) => Promise<T>): Promise<T> {
  return transaction(Date.now() + DEADLINE_MS, async (tx) => {
    const writes = new WriteSet();
    const answer = await step({ tx, writes });
    for (const error of (await flush(tx, [writes])).values()) throw error;
    return answer;
  });
}
