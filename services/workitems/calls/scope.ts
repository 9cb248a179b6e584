import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, Fail } from '@worktrack/contracts/errors';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';

export type { Scope };

/** A scope that can say why not. */
export interface FailingScope<Code extends ErrorCode> extends Scope {
  readonly fail: Fail<Code>;
}

/** The scope of a write, with who it is by for the history. */
export interface WriteScope extends Scope {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'keyId' | 'projects' | 'people'>;
  readonly writes: WriteSet;
  /** The actor, for the log: an agent, by its lease; or the service itself. Default: the key's user. */
  readonly by?:
    | { readonly agent: string; readonly model?: string | undefined; readonly run?: string | undefined }
    | 'service';
}

export interface FailingWriteScope<Code extends ErrorCode> extends WriteScope {
  readonly fail: Fail<Code>;
}
