import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionScope } from '@worktrack/runtime/database/implement';

/** A write that is told in the log of the organization. */
export interface TellingScope extends TransactionScope {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'keyId'>;
  /** No user of the organization does it: it is being made. */
  readonly isUnattended?: boolean;
}
