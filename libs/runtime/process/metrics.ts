import type { RpcObserver } from '@worktrack/rpc/types';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const LATENCY_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_ITEMS = [1, 2, 4, 8, 16, 32, 64];

const clientLatency = new Histogram({
  name: 'worktrack_rpc_client_seconds',
  help: 'Time from a call to its reply, by operation and outcome (ok or an error code).',
  labelNames: ['operation', 'outcome'],
  buckets: LATENCY_SECONDS,
  registers: [registry],
});
const serverLatency = new Histogram({
  name: 'worktrack_rpc_server_seconds',
  help: 'Time that a handler took, by operation and outcome (ok or an error code).',
  labelNames: ['operation', 'outcome'],
  buckets: LATENCY_SECONDS,
  registers: [registry],
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
const deadLetters = new Counter({
  name: 'worktrack_rpc_dead_letters_total',
  help: 'Messages and items sent to a dead-letter queue, by queue and reason.',
  labelNames: ['queue', 'reason'],
  registers: [registry],
});

/** Feeds the measurements of libs/rpc into the process's Prometheus registry. */
export const rpcObserver: RpcObserver = {
  called: (operation, outcome, durationMs) => clientLatency.observe({ operation, outcome }, durationMs / 1000),
  handled: (operation, outcome, durationMs) => serverLatency.observe({ operation, outcome }, durationMs / 1000),
  batched: (side, items) => batchItems.observe({ side }, items),
  pending: (count) => pendingCalls.set(count),
  deadLettered: (queue, reason) => deadLetters.inc({ queue, reason }),
};
