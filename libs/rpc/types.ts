import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, ErrorValue, Fail } from '@worktrack/contracts/errors';
import type { FailureOf, Input, Operation, Output, RawInput, ServiceContract } from '@worktrack/contracts/operation';

/** The part of a pino logger that this library uses. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(bindings: Record<string, unknown>): Log;
}

/** Where measurements go; libs/runtime turns them into Prometheus metrics. Durations in milliseconds. */
export interface RpcObserver {
  /** `outcome` is `ok` or an error code. */
  called(operation: string, outcome: 'ok' | ErrorCode, durationMs: number): void;
  handled(operation: string, outcome: 'ok' | ErrorCode, durationMs: number): void;
  /** Items in one published message. */
  batched(side: 'request' | 'reply', items: number): void;
  /** Calls without an answer so far, in this process. */
  pending(count: number): void;
  deadLettered(queue: string, reason: string): void;
}

export interface CallOptions {
  /** Absent only for `internal` operations. */
  readonly caller?: Caller;
  /** Correlates the logs of all services; what `X-Request-Id` says. */
  readonly requestId: string;
  /** Identity of the effect of a write: the same key has its effect once. Required unless the operation's effect is `read`. */
  readonly idempotencyKey?: string;
  /** Default: the operation's own, else DEFAULT_DEADLINE_MS. */
  readonly deadlineMs?: number;
  /** W3C trace context. */
  readonly traceparent?: string;
}

export interface Reply<T> {
  readonly output: T;
  /** The answer of an earlier call with the same idempotency key. */
  readonly replayed: boolean;
}

/** A typed client of one service. */
export interface ServiceClient<C extends ServiceContract> {
  call<Name extends keyof C['operations'] & string>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<Output<C['operations'][Name]>>;
  /** As `call`, and says whether the answer is a replay. */
  exchange<Name extends keyof C['operations'] & string>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<Reply<Output<C['operations'][Name]>>>;
}
type RawInputOf<C extends ServiceContract, Name extends keyof C['operations']> = RawInput<C['operations'][Name]>;

/** What a handler knows of its call beside the input. */
export interface CallContext<Code extends ErrorCode = never> {
  readonly caller: Caller;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** `Date.now()` of this process after which nobody waits for the answer. */
  readonly deadlineAtMs: number;
  readonly traceparent: string | undefined;
  readonly log: Log;
  readonly fail: Fail<Code>;
}

export type Settled<T> = { readonly output: T; readonly replayed?: boolean } | { readonly error: ErrorValue };

/** One call that arrived, with its parsed input. */
export interface Call<Op extends Operation> {
  readonly input: Input<Op>;
  readonly context: CallContext<FailureOf<Op>>;
}

export type RpcHandler<Op extends Operation> =
  | { readonly one: (input: Input<Op>, context: CallContext<FailureOf<Op>>) => Promise<Reply<Output<Op>>> }
  /** All calls of this operation that arrived in one message, answered in their order. A rejection fails each of them. */
  | { readonly many: (calls: readonly Call<Op>[]) => Promise<readonly Settled<Output<Op>>[]> };

/** A handler for every operation of the contract: a missing one does not compile. */
export type RpcHandlers<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: RpcHandler<C['operations'][Name]>;
};
