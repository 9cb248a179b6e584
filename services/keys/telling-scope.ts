import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';

/** A write that is reported in the organization's log. */
export interface TellingScope extends TransactionScope {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'keyId'>;
  /** Done by an operator of the service, and by no user of the organization. */
  readonly isUnattended?: boolean;
}
