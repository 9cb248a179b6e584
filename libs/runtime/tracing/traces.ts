import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  BatchTrace,
  CallOptions,
  CallTrace,
  Outcome,
  RpcTracer,
  ServedTrace,
  TracedCall,
} from '@worktrack/rpc/types';
import { watchCommands } from './database-commands.ts';
import { HeldSpan, type HeldSpans } from './held-spans.ts';
import { isFault, outcomeAttributes } from './outcome.ts';
import type { Sampler } from './sampler.ts';
import { newTraceId, readTraceparent, type TraceContext } from './trace-context.ts';
import type { Attributes, Later, Span, SpanKind, Tracing } from './types.ts';

/** Of a batch (https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/): a link takes some 50 bytes on the wire. */
const MAX_LINKS = 128;

export class Traces implements Tracing, RpcTracer {
  readonly #held: HeldSpans;
  readonly #sampler: Sampler;
  readonly #shutdown: () => Promise<void>;
  readonly #current = new AsyncLocalStorage<HeldSpan>();

  constructor(held: HeldSpans, sampler: Sampler, shutdown: () => Promise<void>) {
    this.#held = held;
    this.#sampler = sampler;
    this.#shutdown = shutdown;
  }

  get rpc(): RpcTracer {
    return this;
  }

  request(name: string, traceparent: string | undefined, isTrusted: boolean): Span {
    const given = traceparent === undefined ? undefined : readTraceparent(traceparent);
    const parent = isTrusted ? given : undefined;
    const links = given && !isTrusted ? [given] : undefined;
    return this.#root(parent, 'server', name, {}, links);
  }

  begin(kind: SpanKind, name: string, attributes: Later<Attributes>): Span {
    const under = this.#underWay();
    if (under) return under.child(kind, name, attributes);
    return this.#root(undefined, kind, name, attributes);
  }

  spanOf(trace: CallTrace | undefined): HeldSpan | undefined {
    return trace instanceof HeldSpan ? trace : undefined;
  }

  current(): Span | undefined {
    return this.#underWay();
  }

  /** What a call has started may go on after its end, and belongs to it no more. */
  #underWay(): HeldSpan | undefined {
    const span = this.#current.getStore();
    return span?.root.isOpen ? span : undefined;
  }

  outgoing(
    operation: string,
    service: string,
    { caller, trace: parent }: Pick<CallOptions, 'caller' | 'trace'>,
  ): CallTrace {
    const attributes = () => rpcAttributes(operation, service, caller?.organizationId);
    const under = this.#underWay() ?? this.spanOf(parent);
    if (under) return under.child('client', operation, attributes);
    const remote = parent && readTraceparent(parent.traceparent);
    return this.#root(remote, 'client', operation, attributes);
  }

  incoming(queue: string, calls: readonly TracedCall[]): BatchTrace {
    const attributes = () => batchAttributes(queue, calls.length);
    const span = this.#held.root(undefined, false, 'consumer', `process ${queue}`, attributes, undefined, () =>
      calls.flatMap(({ traceparent }) => (traceparent ? [readTraceparent(traceparent)] : [])).slice(0, MAX_LINKS),
    );
    const batch = new Batch(span, calls.length);
    const served = calls.map(({ operation, organizationId, traceparent }) => {
      const own = () => rpcAttributes(operation, queue.split('.')[1] ?? queue, organizationId);
      const parent = traceparent ? readTraceparent(traceparent) : undefined;
      return new Served(this.#root(parent, 'server', operation, own), batch, this.#current);
    });
    return { calls: served, run: (work) => this.#current.run(span, work) };
  }

  ended(trace: CallTrace | ServedTrace, outcome: Outcome): Span {
    if (trace instanceof Served) {
      trace.end(outcome);
      return trace.span;
    }
    const span = trace as HeldSpan;
    endCall(span, outcome);
    return span;
  }

  watchCommands(): void {
    watchCommands(() => this.#underWay());
  }

  stop(): Promise<void> {
    return this.#shutdown();
  }

  /** @param parent of our own processes and trusted callers: their decision stands */
  #root(
    parent: TraceContext | undefined,
    kind: SpanKind,
    name: string,
    attributes: Later<Attributes>,
    links?: readonly TraceContext[],
  ): HeldSpan {
    const traceId = parent?.traceId ?? newTraceId();
    const isSampled = this.#sampler(traceId, parent?.isSampled);
    return this.#held.root(traceId, isSampled, kind, name, attributes, parent, links);
  }
}

function batchAttributes(queue: string, calls: number): Attributes {
  return {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': queue,
    'messaging.batch.message_count': calls,
  };
}

function rpcAttributes(operation: string, service: string, organizationId?: string): Attributes {
  return {
    'rpc.system.name': 'worktrack',
    'rpc.service': service,
    'rpc.method': operation,
    'worktrack.operation': operation,
    ...(organizationId !== undefined && { 'worktrack.organization.id': organizationId }),
  };
}

/** The span of a message, which ends with the last of its calls and is kept with any of them. */
class Batch {
  readonly #span: HeldSpan;
  #left: number;

  constructor(span: HeldSpan, calls: number) {
    this.#span = span;
    this.#left = calls;
  }

  ended(isKept: boolean): void {
    if (isKept) this.#span.keep();
    if (--this.#left === 0) this.#span.end({}, false);
  }
}

/** A call that a service handles. */
export class Served implements ServedTrace {
  readonly span: HeldSpan;
  readonly #batch: Batch;
  readonly #current: AsyncLocalStorage<HeldSpan>;
  #hasEnded = false;

  constructor(span: HeldSpan, batch: Batch, current: AsyncLocalStorage<HeldSpan>) {
    this.span = span;
    this.#batch = batch;
    this.#current = current;
  }

  run<T>(work: () => T): T {
    return this.#current.run(this.span, work);
  }

  end(outcome: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    endCall(this.span, outcome);
    this.#batch.ended(this.span.isKept);
  }
}

function endCall(span: Span, outcome: Outcome): void {
  span.end(outcomeAttributes(outcome), isFault(outcome));
}
