import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, Fail } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FailureOf, Input, Operation, Output, ServiceContract } from '@worktrack/contracts/operation';
import type { CallOptions, Reply } from '@worktrack/rpc/types';
import type { KeyRing } from '@worktrack/runtime/process/key-ring';
import type { Clients } from '../clients.ts';

/** How the tool that uploads local files is to answer. */
export interface LocalUploads {
  /** Whether the gateway may read its own disk for callers. */
  readonly localFiles: boolean;
  readonly ticketKeys: KeyRing;
  /** Where clients reach the service. */
  readonly baseUrl: () => string;
}

export interface CompositionContext<Code extends ErrorCode = never> {
  readonly identity: Identity;
  readonly caller: Caller;
  readonly clients: Clients;
  readonly uploads: LocalUploads;
  /**
   * For every step, as it is: caller, request id, and the one idempotency key of the whole. A step is the same for the same input,
   * so a repeated composition finds what is done and goes on from there.
   */
  readonly options: CallOptions;
  readonly fail: Fail<Code>;
}

/** An operation that the gateway answers itself: from the verified identity, or from several services. */
export type Composition<Op extends Operation> = (
  input: Input<Op>,
  context: CompositionContext<FailureOf<Op>>,
) => Promise<Reply<Output<Op>>>;

export type Compositions<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: Composition<C['operations'][Name]>;
};
