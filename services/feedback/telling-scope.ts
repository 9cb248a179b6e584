import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';

/** A write that is reported in the organization's log. */
export interface TellingScope extends TransactionScope {
  /** Without a user: the service itself, which keeps nothing longer than it was told to. */
  readonly caller: Pick<Caller, 'organizationId'> & Partial<Pick<Caller, 'userId' | 'keyId'>>;
}
