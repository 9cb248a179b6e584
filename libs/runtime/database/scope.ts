import type { Caller } from '@worktrack/contracts/caller';
import type { ClientSession } from 'mongoose';

/**
 * The first argument of every repository function: whose data, and inside which transaction. The contexts of reads and writes are scopes, so a
 * function cannot be called without an organization. Only functions that determine the organization do without one, and say so.
 */
export interface Scope {
  readonly caller: Pick<Caller, 'organizationId' | 'projects'>;
  readonly tx?: ClientSession;
}

/** A scope inside a transaction. */
export interface TransactionalScope extends Scope {
  readonly tx: ClientSession;
}
