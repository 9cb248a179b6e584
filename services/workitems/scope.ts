import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, Fail } from '@worktrack/contracts/errors';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { WriteSet } from '@worktrack/runtime/database/write-set';

export type { Scope };

/** A scope that can say why not. */
export interface FailingScope<Code extends ErrorCode> extends Scope {
  readonly fail: Fail<Code>;
}

/** A scope of a write, by whom it is remembered in the history. */
export interface WriteScope extends Scope {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'keyId'>;
  readonly writes: WriteSet;
  /** Who does it, as the log tells it: an agent, by the lease that it has; or the service itself. Default: whoever the key is of. */
  readonly by?: { readonly agent: string } | 'service';
}

export interface FailingWriteScope<Code extends ErrorCode> extends WriteScope {
  readonly fail: Fail<Code>;
}
