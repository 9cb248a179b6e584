import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionScope } from '@worktrack/runtime/database/implement';

/** A write that is told in the log of the organization. */
export interface TellingScope extends TransactionScope {
  /** Without a user: the service itself, which keeps nothing longer than it is told to. */
  readonly caller: Pick<Caller, 'organizationId'> & Partial<Pick<Caller, 'userId' | 'keyId'>>;
}
