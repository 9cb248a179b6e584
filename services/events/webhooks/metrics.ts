import { registry } from '@worktrack/runtime/process/metrics';
import { Counter, Gauge, Histogram } from 'prom-client';
import { isDelivered, type Outcome } from './deliveries.repository.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const attemptSeconds = new Histogram({
  name: 'worktrack_webhook_attempt_seconds',
  help: 'Time that an attempt to send an event to a webhook took, by outcome (delivered, refused by its status, unanswered).',
  labelNames: ['outcome'],
  buckets: SECONDS,
  registers: [registry],
});

export function attempted(outcome: Outcome): void {
  const name = isDelivered(outcome) ? 'delivered' : outcome.status === null ? 'unanswered' : 'refused';
  attemptSeconds.observe({ outcome: name }, (outcome.durationMs ?? 0) / 1000);
}

export const endpointsUnderWay = new Gauge({
  name: 'worktrack_webhook_endpoints_under_way',
  help: 'Endpoints that this process sends to now.',
  registers: [registry],
});

export const queuedDeliveries = new Counter({
  name: 'worktrack_webhook_deliveries_total',
  help: 'Deliveries that were queued.',
  registers: [registry],
});
