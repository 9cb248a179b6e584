import { OpenSet } from '@worktrack/rpc/open-set';
import { newSpanId, newTraceId, type TraceContext, traceparentOf } from './trace-context.ts';
import { type Attributes, type Later, now, type Span, type SpanKind } from './types.ts';

/** Of spans whose calls have not ended. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** About what one takes with its attributes (measured: bench/tracing.bench.ts). */
const SPAN_BYTES = 512;
/** A call that takes longer is always kept. */
const SLOW_MS = 1_000;

/** A span as it is sent. */
export interface EndedSpan {
  readonly context: TraceContext;
  readonly parent: TraceContext | undefined;
  readonly kind: SpanKind;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly links: readonly TraceContext[];
  readonly hasFailed: boolean;
}

/** Takes what is kept. */
export type Send = (span: EndedSpan) => void;

/**
 * The spans of calls under way. Each root in this process holds those below it until it has ended. All are then sent if the trace was sampled, or if a call in
 * it failed or was slow; otherwise they are forgotten. Beyond MAX_HELD_BYTES the oldest are forgotten at once. Some 99 of 100 are forgotten, so ids are drawn
 * and attributes put together only for those that are sent: that halved the CPU time of all this.
 */
export class HeldSpans {
  readonly #send: Send;
  /** In the order in which they began. */
  readonly #open = new OpenSet<Root>();
  #bytes = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  /** @param traceId without one, a new trace; `parent`: of another process */
  root(
    traceId: string | undefined,
    isSampled: boolean,
    kind: SpanKind,
    name: string,
    attributes: Later<Attributes>,
    parent?: TraceContext,
    links: Later<readonly TraceContext[]> = NONE,
  ): HeldSpan {
    const root = new Root(traceId, isSampled, this);
    this.#open.add(root);
    return this.#add(root, new HeldSpan(root, parent, kind, name, attributes, links));
  }

  child(of: HeldSpan, kind: SpanKind, name: string, attributes: Later<Attributes>): HeldSpan {
    return this.#add(of.root, new HeldSpan(of.root, of, kind, name, attributes, NONE));
  }

  #add(root: Root, span: HeldSpan): HeldSpan {
    // What begins after its root has ended stands for itself.
    if (!root.isOpen) return span;
    root.first ??= span;
    root.bytes += SPAN_BYTES;
    this.#bytes += SPAN_BYTES;
    if (this.#bytes > MAX_HELD_BYTES) this.#forgetOldest();
    return span;
  }

  ended(span: HeldSpan): void {
    const { root } = span;
    if (root.isOpen) root.hold(span);
    else if (root.isKept) this.#send(span.toEnded());
    if (span !== root.first || !root.isOpen) return;
    root.isOpen = false;
    this.#open.delete(root);
    this.#bytes -= root.bytes;
    if (root.isKept) root.sendHeld(this.#send);
    root.forgetHeld();
  }

  #forgetOldest(): void {
    for (const root of this.#open) {
      this.#bytes -= root.bytes;
      root.bytes = 0;
      root.forgetHeld();
      // If it has not ended by now, nothing holds it any more: it stands for itself from here on.
      this.#open.delete(root);
      root.isOpen = false;
      if (this.#bytes <= MAX_HELD_BYTES) return;
    }
  }
}

/** What is decided together: the spans of one trace in this process, below one call. */
class Root {
  /** In this process. */
  id = 0;
  readonly isSampled: boolean;
  readonly held: HeldSpans;
  first: HeldSpan | undefined;
  isOpen = true;
  isKept: boolean;
  bytes = 0;
  #traceId: string | undefined;
  /** The ended spans, in that order. An array would take most of the cost of a call with few spans. */
  #firstHeld: HeldSpan | undefined;
  #lastHeld: HeldSpan | undefined;

  constructor(traceId: string | undefined, isSampled: boolean, held: HeldSpans) {
    this.#traceId = traceId;
    this.isSampled = isSampled;
    this.isKept = isSampled;
    this.held = held;
  }

  get traceId(): string {
    this.#traceId ??= newTraceId();
    return this.#traceId;
  }

  hold(span: HeldSpan): void {
    if (this.#lastHeld) this.#lastHeld.nextHeld = span;
    else this.#firstHeld = span;
    this.#lastHeld = span;
  }

  sendHeld(send: Send): void {
    for (let span = this.#firstHeld; span; span = span.nextHeld) send(span.toEnded());
  }

  forgetHeld(): void {
    this.#firstHeld = undefined;
    this.#lastHeld = undefined;
  }
}

const NONE: readonly never[] = [];

export class HeldSpan implements Span {
  readonly root: Root;
  /** The one that ended after it, below the same root. */
  nextHeld: HeldSpan | undefined = undefined;
  readonly #parent: HeldSpan | TraceContext | undefined;
  readonly #kind: SpanKind;
  readonly #name: string;
  readonly #links: Later<readonly TraceContext[]>;
  readonly #startMs = performance.now();
  readonly #attributes: Later<Attributes>;
  #atEnd: Later<Attributes> | undefined;
  #endMs = 0;
  #hasFailed = false;
  #spanId: string | undefined;
  #traceparent: string | undefined;

  constructor(
    root: Root,
    parent: HeldSpan | TraceContext | undefined,
    kind: SpanKind,
    name: string,
    attributes: Later<Attributes>,
    links: Later<readonly TraceContext[]>,
  ) {
    this.root = root;
    this.#parent = parent;
    this.#kind = kind;
    this.#name = name;
    this.#attributes = attributes;
    this.#links = links;
  }

  get traceId(): string {
    return this.root.traceId;
  }

  /** Most spans are forgotten without ever having needed one. */
  get spanId(): string {
    this.#spanId ??= newSpanId();
    return this.#spanId;
  }

  get context(): TraceContext {
    return { traceId: this.root.traceId, spanId: this.spanId, isSampled: this.root.isSampled };
  }

  get traceparent(): string {
    this.#traceparent ??= traceparentOf(this.context);
    return this.#traceparent;
  }

  /** Whether its trace will be found; certain once it has ended. */
  get isKept(): boolean {
    return this.root.isKept;
  }

  get exemplar(): Span['exemplar'] {
    return this.root.isKept ? { traceId: this.traceId, spanId: this.spanId } : undefined;
  }

  child(kind: SpanKind, name: string, attributes: Later<Attributes>): HeldSpan {
    return this.root.held.child(this, kind, name, attributes);
  }

  end(attributes: Later<Attributes>, hasFailed: boolean): void {
    if (this.#endMs !== 0) return;
    this.#endMs = performance.now();
    this.#atEnd = attributes;
    this.#hasFailed = hasFailed;
    if (hasFailed || this.#endMs - this.#startMs > SLOW_MS) this.keep();
    this.root.held.ended(this);
  }

  /** Whatever the sampler has decided. */
  keep(): void {
    this.root.isKept = true;
  }

  toEnded(): EndedSpan {
    return {
      context: this.context,
      parent: this.#parent instanceof HeldSpan ? this.#parent.context : this.#parent,
      kind: this.#kind,
      name: this.#name,
      startMs: performance.timeOrigin + this.#startMs,
      endMs: performance.timeOrigin + this.#endMs,
      attributes: { ...now(this.#attributes), ...(this.#atEnd && now(this.#atEnd)) },
      links: now(this.#links),
      hasFailed: this.#hasFailed,
    };
  }
}
