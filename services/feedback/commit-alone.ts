import { commitSet } from '@worktrack/runtime/database/commit-set';
import type { TransactionScope } from '@worktrack/runtime/database/implement';

const DEADLINE_MS = 10_000;

/** One step of a longer write, in its own transaction. It may be repeated: it finds what it has already done. */
export function commitAlone<T>(step: (scope: TransactionScope) => Promise<T>): Promise<T> {
  return commitSet(Date.now() + DEADLINE_MS, (tx, writes) => step({ tx, writes }));
}
