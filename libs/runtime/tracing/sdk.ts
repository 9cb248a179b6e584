import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
// OpenTelemetry's own: it reads the standard variables, batches, and speaks OTLP over HTTP in both of its encodings.
import { NodeSDK } from '@opentelemetry/sdk-node';
import { type EndedSpan, HeldSpans } from './held-spans.ts';
import { samplerOf } from './sampler.ts';
import type { TraceContext } from './trace-context.ts';
import { Traces } from './traces.ts';
import type { Tracing } from './types.ts';

/** What is sent has been chosen before (held-spans.ts); 2 is RECORD_AND_SAMPLED. */
const EVERYTHING = { shouldSample: () => ({ decision: 2 as const }), toString: () => 'worktrack' };

/** The SDK draws the ids of the spans that it starts; those of ours have travelled already. */
class GivenIds {
  next: TraceContext | undefined;
  generateTraceId = () => this.#given().traceId;
  generateSpanId = () => this.#given().spanId;

  #given(): TraceContext {
    if (!this.next) throw new Error('A span was started past the ones that are held.');
    return this.next;
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** @param serviceName of the resource */
export function startSdk(serviceName: string): Tracing {
  // The host's name and the command line say nothing that the service's name and instance do not.
  process.env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env,serviceinstance';
  const ids = new GivenIds();
  const sdk = new NodeSDK({
    serviceName,
    sampler: EVERYTHING,
    idGenerator: ids,
    instrumentations: [],
    // Both have ways of their own here: standard output, and Prometheus.
    logRecordProcessors: [],
    metricReaders: [],
  });
  sdk.start();
  const tracer = trace.getTracer('worktrack');

  /** A held span becomes one of the SDK's once it is known that it is wanted. */
  const send = (span: EndedSpan): void => {
    const { context, parent, kind, name, startMs, endMs, attributes, links, hasFailed } = span;
    ids.next = context;
    const under = parent ? trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent)) : ROOT_CONTEXT;
    const started = tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        startTime: startMs,
        attributes: { ...attributes },
        links: links.map((link) => ({ context: spanContextOf(link) })),
      },
      under,
    );
    if (hasFailed) started.setStatus({ code: SpanStatusCode.ERROR });
    started.end(endMs);
  };
  return new Traces(new HeldSpans(send), samplerOf(process.env), () => sdk.shutdown());
}

function spanContextOf({ traceId, spanId }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
