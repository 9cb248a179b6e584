import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, Fail } from '@worktrack/contracts/errors';
import type { Health } from '@worktrack/contracts/gateway/health';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FailureOf, Input, Operation, Output, ServiceContract } from '@worktrack/contracts/operation';
import type { CallOptions, Reply } from '@worktrack/rpc/types';
import type { KeyRing } from '@worktrack/runtime/process/key-ring';
import type { Clients } from '../clients.ts';
import type { Presence } from '../presence.ts';

/** How the tool that uploads local files should respond. */
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
  /** How this gateway finds the installation. */
  readonly health: () => Promise<Health>;
  readonly presence: Presence;
  /**
   * Passed unchanged to every step: caller, request id, and the single idempotency key of the whole. A step is the same for the same input,
   * so a repeated composition finds what has been done and continues from there.
   */
  readonly options: CallOptions;
  readonly fail: Fail<Code>;
}

/** An operation that the gateway handles itself: from the verified identity, or with several services. */
export type Composition<Op extends Operation> = (
  input: Input<Op>,
  context: CompositionContext<FailureOf<Op>>,
) => Promise<Reply<Output<Op>>>;

export type Compositions<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: Composition<C['operations'][Name]>;
};
