import type { CallTrace, Outcome, RpcTracer, ServedTrace } from '@worktrack/rpc/types';

export type Attributes = Readonly<Record<string, string | number>>;

/** A value, or a function that makes it, for values needed only if a span is sent, which is once in a hundred. */
export type Later<T extends object> = T | (() => T);

export function now<T extends object>(value: Later<T>): T {
  return typeof value === 'function' ? value() : value;
}

/** Something that takes time and belongs to a trace. */
export interface Span extends CallTrace {
  readonly traceId: string;
  /** A part of it, in this process. */
  child(kind: SpanKind, name: string, attributes: Later<Attributes>): Span;
  /**
   * It is over. Whether its trace is kept is decided with the end of its root in this process.
   * @param hasFailed through our fault, not the caller's
   */
  end(attributes: Later<Attributes>, hasFailed: boolean): void;
  /** For exemplars: its trace, if that will be found. */
  readonly exemplar: { readonly traceId: string; readonly spanId: string } | undefined;
}
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

export interface Tracing {
  readonly rpc: RpcTracer;
  /** A call is over. @returns its span */
  ended(trace: CallTrace | ServedTrace, outcome: Outcome): Span;
  /**
   * A request from outside.
   * @param traceparent as it came: a link only, unless `isTrusted`
   */
  request(name: string, traceparent: string | undefined, isTrusted: boolean): Span;
  /** Part of the call to which what happens now belongs, if any; else of nothing. */
  begin(kind: SpanKind, name: string, attributes: Later<Attributes>): Span;
  /** The span that this is, if it is one of this process. */
  spanOf(trace: CallTrace | undefined): Span | undefined;
  /** The span to which what happens now belongs. */
  current(): Span | undefined;
  /** From now on, each command to the database that belongs to a call is traced. */
  watchCommands(): void;
  /** Sends what there is. */
  stop(): Promise<void>;
}
