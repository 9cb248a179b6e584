import { commitSet } from '@worktrack/runtime/database/commit-set';
import type { TransactionScope } from '@worktrack/runtime/database/implement';

const DEADLINE_MS = 10_000;

/** A step of a longer write, in a transaction of its own. It may be made again: what it has done already it finds done. */
export function commitAlone<T>(step: (scope: TransactionScope) => Promise<T>): Promise<T> {
  return commitSet(Date.now() + DEADLINE_MS, (tx, writes) => step({ tx, writes }));
}
