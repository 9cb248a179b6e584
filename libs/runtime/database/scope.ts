import type { Caller } from '@worktrack/contracts/caller';
import type { ClientSession } from 'mongoose';

/**
 * What every repository function starts with: whose data, and inside which transaction. The contexts of reads and writes are scopes, so that a
 * function cannot be called without an organization. Only what finds out of which organization something is does without one, and says so.
 */
export interface Scope {
  readonly caller: Pick<Caller, 'organizationId'>;
  readonly tx?: ClientSession;
}

/** A scope inside of a transaction. */
export interface TransactionalScope extends Scope {
  readonly tx: ClientSession;
}
