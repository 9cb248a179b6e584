import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
// OpenTelemetry's own: it reads the standard variables, batches, and speaks OTLP over HTTP in both of its encodings.
import { NodeSDK } from '@opentelemetry/sdk-node';
import { within } from '@worktrack/rpc/streams/streams';
import type { Log } from '@worktrack/rpc/types';
import { exportLog } from './export-log.ts';
import { type EndedSpan, HeldSpans } from './held-spans.ts';
import { samplerOf } from './sampler.ts';
import type { TraceContext } from './trace-context.ts';
import { Traces } from './traces.ts';
import type { Tracing } from './types.ts';

/** At a shutdown: a collector that is away is tried for 10 s by the SDK, five times. */
const FLUSH_DEADLINE_MS = 2_000;

/** Spans to send have been chosen before (held-spans.ts); 2 is RECORD_AND_SAMPLED. */
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

/** @param serviceName of the resource, unless the operator gives one */
export function startSdk(serviceName: string, log: Log): Tracing {
  // The host's name and the command line say nothing that the service's name and instance do not.
  process.env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env,serviceinstance';
  const ids = new GivenIds();
  const sdk = new NodeSDK({
    // A name given here would override the environment's.
    ...(!isServiceNamed(process.env) && { serviceName }),
    sampler: EVERYTHING,
    idGenerator: ids,
    instrumentations: [],
    // Both have ways of their own here: standard output, and Prometheus.
    logRecordProcessors: [],
    metricReaders: [],
  });
  // Whoever sets OTEL_LOG_LEVEL wants to see all that the SDK says: it prints that itself.
  if (!process.env.OTEL_LOG_LEVEL) diag.setLogger(exportLog(log), { logLevel: DiagLogLevel.VERBOSE });
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
  const late = () => new Error(`The collector has not taken them within ${FLUSH_DEADLINE_MS} ms`);
  const shutdown = () => within(sdk.shutdown(), FLUSH_DEADLINE_MS, late);
  return new Traces(new HeldSpans(send), samplerOf(process.env), shutdown);
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
function isServiceNamed({ OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes }: NodeJS.ProcessEnv): boolean {
  return Boolean(name?.trim()) || /(^|,)\s*service\.name\s*=/.test(attributes ?? '');
}

function spanContextOf({ traceId, spanId }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
