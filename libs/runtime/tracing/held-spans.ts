import { newSpanId, type TraceContext, traceparentOf } from './trace-context.ts';
import type { Attributes, Span, SpanKind } from './types.ts';

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
 * The spans of calls under way. Each root in this process holds those below it until it has ended: then all are sent if the trace was sampled, or if a
 * call in it failed or was slow, and otherwise forgotten. Beyond MAX_HELD_BYTES the oldest are forgotten at once.
 */
export class HeldSpans {
  readonly #send: Send;
  /** In the order in which they began. */
  readonly #open = new Set<Root>();
  /** Those that may be a parent, by their trace contexts. */
  readonly #byContext = new Map<string, HeldSpan>();
  #bytes = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  /** @param of the trace, with its sampling decision; `parent`: of another process */
  root(
    of: Pick<TraceContext, 'traceId' | 'isSampled'>,
    kind: SpanKind,
    name: string,
    attributes: Attributes,
    parent?: TraceContext,
    links: readonly TraceContext[] = [],
    isFindable = false,
  ): HeldSpan {
    const root = new Root(of.traceId, of.isSampled, this, isFindable);
    this.#open.add(root);
    return this.#add(root, new HeldSpan(root, parent, kind, name, attributes, links));
  }

  child(of: HeldSpan, kind: SpanKind, name: string, attributes: Attributes): HeldSpan {
    return this.#add(of.root, new HeldSpan(of.root, of.context, kind, name, attributes, []));
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
    if (root.isOpen) root.ended.push(span);
    else if (root.isKept) this.#send(span.toEnded());
    if (root.isFindable && span.isNamed) this.#byContext.delete(span.traceparent);
    if (span !== root.first || !root.isOpen) return;
    root.isOpen = false;
    this.#open.delete(root);
    this.#bytes -= root.bytes;
    if (root.isKept) for (const each of root.ended) this.#send(each.toEnded());
    root.ended = [];
  }

  named(span: HeldSpan, traceparent: string): void {
    this.#byContext.set(traceparent, span);
  }

  find(traceparent: string): HeldSpan | undefined {
    return this.#byContext.get(traceparent);
  }

  #forgetOldest(): void {
    for (const root of this.#open) {
      this.#bytes -= root.bytes;
      root.bytes = 0;
      root.ended = [];
      // If it has not ended by now, nothing holds it any more: it stands for itself from here on.
      this.#open.delete(root);
      root.isOpen = false;
      if (this.#bytes <= MAX_HELD_BYTES) return;
    }
  }
}

/** What is decided together: the spans of one trace in this process, below one call. */
class Root {
  readonly traceId: string;
  readonly isSampled: boolean;
  readonly held: HeldSpans;
  /** By the trace contexts of its spans. */
  readonly isFindable: boolean;
  first: HeldSpan | undefined;
  isOpen = true;
  isKept: boolean;
  bytes = 0;
  ended: HeldSpan[] = [];

  constructor(traceId: string, isSampled: boolean, held: HeldSpans, isFindable: boolean) {
    this.traceId = traceId;
    this.isSampled = isSampled;
    this.isKept = isSampled;
    this.held = held;
    this.isFindable = isFindable;
  }
}

export class HeldSpan implements Span {
  readonly root: Root;
  readonly #parent: TraceContext | undefined;
  readonly #kind: SpanKind;
  readonly #name: string;
  readonly #links: readonly TraceContext[];
  readonly #startMs = performance.now();
  #attributes: Attributes;
  #endMs = 0;
  #hasFailed = false;
  #spanId: string | undefined;
  #traceparent: string | undefined;

  constructor(
    root: Root,
    parent: TraceContext | undefined,
    kind: SpanKind,
    name: string,
    attributes: Attributes,
    links: readonly TraceContext[],
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
    if (this.#traceparent === undefined) {
      this.#traceparent = traceparentOf(this.context);
      if (this.root.isFindable) this.root.held.named(this, this.#traceparent);
    }
    return this.#traceparent;
  }

  /** Whether its trace will be found; certain once it has ended. */
  get isKept(): boolean {
    return this.root.isKept;
  }

  get isNamed(): boolean {
    return this.#traceparent !== undefined;
  }

  get exemplar(): Span['exemplar'] {
    return this.root.isKept ? { traceId: this.traceId, spanId: this.spanId } : undefined;
  }

  child(kind: SpanKind, name: string, attributes: Attributes): HeldSpan {
    return this.root.held.child(this, kind, name, attributes);
  }

  end(attributes: Attributes, hasFailed: boolean): void {
    if (this.#endMs !== 0) return;
    this.#endMs = performance.now();
    this.#attributes = { ...this.#attributes, ...attributes };
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
      parent: this.#parent,
      kind: this.#kind,
      name: this.#name,
      startMs: performance.timeOrigin + this.#startMs,
      endMs: performance.timeOrigin + this.#endMs,
      attributes: this.#attributes,
      links: this.#links,
      hasFailed: this.#hasFailed,
    };
  }
}
