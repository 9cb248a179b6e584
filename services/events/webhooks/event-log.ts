import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Scope } from '@worktrack/runtime/database/scope';

/** What webhooks need of the log. */
export interface EventLog {
  /** In the order of `seq`. */
  after(scope: Scope, seq: number, limit: number): Promise<LoggedEvent[]>;
  /** By `seq`; those that the log does not hold any more are left out. */
  at(scope: Scope, seqs: readonly number[]): Promise<Map<number, LoggedEvent>>;
  /** The last `seq` that was given, and the first that is still there; of an empty log 0 and 1. */
  bounds(scope: Scope): Promise<{ readonly head: number; readonly oldest: number }>;
  /** The last `seq` of each. */
  heads(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
