import type { Readable } from 'node:stream';
import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode, ErrorValue, Fail } from '@worktrack/contracts/errors';
import type {
  ByteStream,
  FailureOf,
  Input,
  Operation,
  Output,
  RawInput,
  ServiceContract,
} from '@worktrack/contracts/operation';

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
  /** Identity of the effect of a write: the same key takes effect once. Required unless the operation's effect is `read`. */
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

/** A typed client of one service. Every method rejects with an OperationError and nothing else. */
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
  /**
   * Sends the bytes along with the input, as fast as the handler takes them and never more than a window ahead of it.
   * `deadlineMs` bounds the silence between two chunks, not the whole. It is never repeated by the library: an upload that fails
   * with UNAVAILABLE may be repeated by whoever still has the bytes, with the same idempotency key.
   */
  upload<Name extends NamesWith<C, 'up'>>(
    name: Name,
    input: RawInputOf<C, Name>,
    bytes: AsyncIterable<Uint8Array>,
    options: CallOptions,
  ): Promise<Reply<Output<C['operations'][Name]>>>;
  /** Resolves once the handler has answered; the bytes follow as they are read. Destroying the stream stops the handler's iteration. */
  download<Name extends NamesWith<C, 'down'>>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<{ readonly output: Output<C['operations'][Name]>; readonly bytes: Readable }>;
}
type BytesOf<Op extends Operation> = Exclude<Op['bytes'], undefined>;
type NamesWith<C extends ServiceContract, Kind extends ByteStream> = {
  [Name in keyof C['operations'] & string]: Kind extends BytesOf<C['operations'][Name]> ? Name : never;
}[keyof C['operations'] & string];
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

type PlainHandler<Op extends Operation> =
  | { readonly one: (input: Input<Op>, context: CallContext<FailureOf<Op>>) => Promise<Reply<Output<Op>>> }
  /** All calls of this operation that arrived in one message, answered in their order. A rejection fails each of them. */
  | { readonly many: (calls: readonly Call<Op>[]) => Promise<readonly Settled<Output<Op>>[]> };

/** Bytes arrive as they are asked for; an abort or a silence of the sender is thrown from the iteration. Leaving it early tells the sender to stop. */
interface UploadHandler<Op extends Operation> {
  readonly upload: (
    input: Input<Op>,
    bytes: AsyncIterable<Buffer>,
    context: CallContext<FailureOf<Op>>,
  ) => Promise<Reply<Output<Op>>>;
}

/** The output is sent first. `bytes` is iterated as the reader takes them, and returned (`finally` runs) when it goes away. */
interface DownloadHandler<Op extends Operation> {
  readonly download: (
    input: Input<Op>,
    context: CallContext<FailureOf<Op>>,
  ) => Promise<{ readonly output: Output<Op>; readonly bytes: AsyncIterable<Uint8Array> }>;
}

export type RpcHandler<Op extends Operation> = [BytesOf<Op>] extends [never]
  ? PlainHandler<Op>
  : ByteStream extends BytesOf<Op>
    ? PlainHandler<Op> | UploadHandler<Op> | DownloadHandler<Op>
    : BytesOf<Op> extends 'up'
      ? UploadHandler<Op>
      : DownloadHandler<Op>;

/** A handler for every operation of the contract: a missing one does not compile. */
export type RpcHandlers<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: RpcHandler<C['operations'][Name]>;
};
