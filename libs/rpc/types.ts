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

/** Receives measurements; libs/runtime turns them into Prometheus metrics. Durations in milliseconds. */
export interface RpcObserver {
  /** `outcome` is `ok` or an error code. A call that has a trace is over with this. */
  called(operation: string, outcome: Outcome, durationMs: number, trace?: CallTrace): void;
  handled(operation: string, outcome: Outcome, durationMs: number, trace?: ServedTrace): void;
  /** Items in one published message. */
  batched(side: 'request' | 'reply', items: number): void;
  /** This process's currently unanswered calls. */
  pending(count: number): void;
  /** The calls that this process has begun and not answered, but those that wait until there is something to do. */
  working(count: number): void;
  deadLettered(queue: string, reason: string): void;
  /** If calls are traced. Otherwise a trace context is passed on as it came. */
  readonly tracer?: RpcTracer | undefined;
}

export type Outcome = 'ok' | ErrorCode;

/** A call that is being made, or what a call is part of. */
export interface CallTrace {
  /** W3C trace context: travels with the call. */
  readonly traceparent: string;
}

/** A call that is being handled. */
export interface ServedTrace {
  /** What happens within the work belongs to the call. */
  run<T>(work: () => T): T;
}

export interface RpcTracer {
  outgoing(operation: string, service: string, of: Pick<CallOptions, 'caller' | 'trace'>): CallTrace;
  /** The calls of one message, which are handled from now on. */
  incoming(queue: string, calls: readonly TracedCall[]): BatchTrace;
}

export interface TracedCall {
  readonly operation: string;
  readonly organizationId: string | undefined;
  readonly traceparent: string | undefined;
}

export interface BatchTrace {
  /** In the order of the calls. */
  readonly calls: readonly ServedTrace[];
  /** What happens within the work belongs to all of them. */
  run<T>(work: () => T): T;
}

export interface CallOptions {
  /** Absent only for `internal` operations. */
  readonly caller?: Caller;
  /** Correlates the logs of all services; the value of `X-Request-Id`. */
  readonly requestId: string;
  /** Identifies a write's effect: the same key takes effect once. Required unless the operation's effect is `read`. */
  readonly idempotencyKey?: string;
  /** Default: the operation's own, else DEFAULT_DEADLINE_MS. */
  readonly deadlineMs?: number;
  /** What it is part of, unless that is known. */
  readonly trace?: CallTrace | undefined;
  /** For a call that may wait: ends the wait, with UNAVAILABLE. If it was just getting something, repeating the call with its key finds that. */
  readonly signal?: AbortSignal;
}

export interface Reply<T> {
  readonly output: T;
  /** The result of an earlier call with the same idempotency key; not of this one, if it was sent again. */
  readonly replayed: boolean;
}

/** A typed client of one service. Every method rejects only with an OperationError. */
export interface ServiceClient<C extends ServiceContract> {
  call<Name extends keyof C['operations'] & string>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<Output<C['operations'][Name]>>;
  /** Like `call`, but also says whether the result is a replay. */
  exchange<Name extends keyof C['operations'] & string>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<Reply<Output<C['operations'][Name]>>>;
  /**
   * Sends the bytes along with the input, as fast as the handler consumes them and never more than a window ahead of it.
   * `deadlineMs` bounds the silence between two chunks, not the whole. The library never repeats it: an upload that fails
   * with UNAVAILABLE may be repeated by anybody who still has the bytes, with the same idempotency key.
   */
  upload<Name extends NamesWith<C, 'up'>>(
    name: Name,
    input: RawInputOf<C, Name>,
    bytes: AsyncIterable<Uint8Array>,
    options: CallOptions,
  ): Promise<Reply<Output<C['operations'][Name]>>>;
  /** Resolves once the handler has replied; the bytes follow as they are read. Destroying the stream stops the handler's iteration. */
  download<Name extends NamesWith<C, 'down'>>(
    name: Name,
    input: RawInputOf<C, Name>,
    options: CallOptions,
  ): Promise<{ readonly output: Output<C['operations'][Name]>; readonly bytes: Readable }>;
}
/** `never` for a call without a byte stream. */
export type BytesOf<Op extends Operation> = Exclude<Op['bytes'], undefined>;
type NamesWith<C extends ServiceContract, Kind extends ByteStream> = {
  [Name in keyof C['operations'] & string]: Kind extends BytesOf<C['operations'][Name]> ? Name : never;
}[keyof C['operations'] & string];
type RawInputOf<C extends ServiceContract, Name extends keyof C['operations']> = RawInput<C['operations'][Name]>;

/** Controls the wait in the handler of a call that may wait (`waitField` of its operation). */
export interface Waiting {
  /** Aborted once its time is up: return now, with whatever there is. */
  readonly timeUp: AbortSignal;
  /** Aborted when no result is wanted here any more: the caller has gone, or the call has moved to another replica. */
  readonly gone: AbortSignal;
  /** Whether the calling process still accepts replies: one that died says nothing. Asks the broker. */
  isCallerThere(): Promise<boolean>;
}

/** What a handler knows about its call besides the input. */
export interface CallContext<Code extends ErrorCode = never> {
  readonly caller: Caller;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Of a write: the same in each delivery of this call, and known to nobody else. Another call with the same key has another. */
  readonly callSecret?: string | undefined;
  /** `Date.now()` of this process after which nobody waits for the reply. */
  readonly deadlineAtMs: number;
  readonly traceparent: string | undefined;
  readonly log: Log;
  readonly fail: Fail<Code>;
  /** For a call that may wait. */
  readonly waiting?: Waiting;
}

export type Answered<T> = { readonly output: T; readonly replayed?: boolean } | { readonly error: ErrorValue };

/** One call that arrived, with its parsed input. */
export interface Call<Op extends Operation> {
  readonly input: Input<Op>;
  readonly context: CallContext<FailureOf<Op>>;
}

type PlainHandler<Op extends Operation> =
  | { readonly one: (input: Input<Op>, context: CallContext<FailureOf<Op>>) => Promise<Reply<Output<Op>>> }
  /** All calls of this operation that arrived in one message; results are in the same order. A rejection fails all of them. */
  | { readonly many: (calls: readonly Call<Op>[]) => Promise<readonly Answered<Output<Op>>[]> };

/** Bytes arrive as they are requested; an abort or silence by the sender is thrown from the iteration. Leaving it early tells the sender to stop. */
interface UploadHandler<Op extends Operation> {
  readonly upload: (
    input: Input<Op>,
    bytes: AsyncIterable<Buffer>,
    context: CallContext<FailureOf<Op>>,
  ) => Promise<Reply<Output<Op>>>;
}

/** The output is sent first. `bytes` is iterated at the reader's pace, and closed (`finally` runs) if the reader goes away. */
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
