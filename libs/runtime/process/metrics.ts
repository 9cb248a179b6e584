import type { RpcObserver } from '@worktrack/rpc/types';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type HistogramConfiguration, Registry } from 'prom-client';
import { isTracing, tracing } from '../tracing/tracing.ts';
import type { Span } from '../tracing/types.ts';

export const registry = new Registry();
// Only OpenMetrics has exemplars; without traces, the format that everything reads has all there is.
if (isTracing) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
/** How often the lag of the event loop is checked. Each check wakes the process, and the usual hundred per second were half the cost of an idle process. */
const LAG_EVERY_MS = 50;
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });

/** How long something takes; with tracing, its buckets name traces in which it took that long. */
export class LatencyHistogram<Label extends string> {
  readonly #histogram: Histogram<Label>;

  constructor(options: Pick<HistogramConfiguration<Label>, 'name' | 'help' | 'labelNames' | 'buckets'>) {
    this.#histogram = new Histogram({ ...options, registers: [registry], enableExemplars: isTracing });
  }

  /** @param span the span of the slow operation */
  observe(labels: Partial<Record<Label, string | number>>, seconds: number, span?: Span): void {
    if (!isTracing) this.#histogram.observe(labels, seconds);
    else this.#histogram.observe({ labels, value: seconds, exemplarLabels: exemplarOf(span) } as never);
  }
}

function exemplarOf(span: Span | undefined): Record<string, string> | undefined {
  const found = span?.exemplar;
  return found && { trace_id: found.traceId, span_id: found.spanId };
}

const LATENCY_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_ITEMS = [1, 2, 4, 8, 16, 32, 64];

const clientLatency = new LatencyHistogram({
  name: 'worktrack_rpc_client_seconds',
  help: 'Time from a call to its reply, by operation and outcome (ok or an error code).',
  labelNames: ['operation', 'outcome'],
  buckets: LATENCY_SECONDS,
});
const serverLatency = new LatencyHistogram({
  name: 'worktrack_rpc_server_seconds',
  help: 'Time that a handler took, by operation and outcome (ok or an error code).',
  labelNames: ['operation', 'outcome'],
  buckets: LATENCY_SECONDS,
});
const batchItems = new Histogram({
  name: 'worktrack_rpc_batch_items',
  help: 'Items in one published message.',
  labelNames: ['side'],
  buckets: BATCH_ITEMS,
  registers: [registry],
});
const pendingCalls = new Gauge({
  name: 'worktrack_rpc_pending_calls',
  help: 'Calls by this process that are still awaiting a reply.',
  registers: [registry],
});
const workingCalls = new Gauge({
  name: 'worktrack_rpc_working_calls',
  help: 'Calls that this process has taken from its queue and not answered.',
  registers: [registry],
});
const deadLetters = new Counter({
  name: 'worktrack_rpc_dead_letters_total',
  help: 'Messages and items sent to a dead-letter queue, by queue and reason.',
  labelNames: ['queue', 'reason'],
  registers: [registry],
});

/** Compared with Prometheus's own time, it says whether this machine's clock is right. Leases, tokens and the order of events depend on it. */
const clock: Gauge = new Gauge({
  name: 'worktrack_clock_seconds',
  help: 'The time by the clock of this process.',
  registers: [registry],
  collect: () => clock.set(Date.now() / 1_000),
});

/** Feeds the measurements of libs/rpc into the process's Prometheus registry. */
export const rpcObserver: RpcObserver = {
  get tracer() {
    return tracing?.rpc;
  },
  called: (operation, outcome, durationMs, trace) =>
    clientLatency.observe({ operation, outcome }, durationMs / 1000, trace && tracing?.ended(trace, outcome)),
  handled: (operation, outcome, durationMs, trace) =>
    serverLatency.observe({ operation, outcome }, durationMs / 1000, trace && tracing?.ended(trace, outcome)),
  batched: (side, items) => batchItems.observe({ side }, items),
  pending: (count) => pendingCalls.set(count),
  working: (count) => workingCalls.set(count),
  deadLettered: (queue, reason) => deadLetters.inc({ queue, reason }),
};
