import { LatencyHistogram, registry } from '@worktrack/runtime/process/metrics';
import type { Span } from '@worktrack/runtime/tracing/types';
import { Counter, Gauge } from 'prom-client';
import { type AttemptResult, isDelivered } from './deliveries.repository.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const attemptSeconds = new LatencyHistogram({
  name: 'worktrack_webhook_attempt_seconds',
  help: 'Duration of attempts to send an event to a webhook, by outcome (delivered, refused by its status, unanswered).',
  labelNames: ['outcome'],
  buckets: SECONDS,
});

export function attempted(result: Pick<AttemptResult, 'status' | 'durationMs'>, span: Span | undefined): void {
  const { status, durationMs } = result;
  const isGood = isDelivered(result);
  const outcome = isGood ? 'delivered' : status === null ? 'unanswered' : 'refused';
  const told = { 'worktrack.outcome': outcome, ...(status !== null && { 'http.response.status_code': status }) };
  span?.end(told, !isGood);
  attemptSeconds.observe({ outcome }, (durationMs ?? 0) / 1000, span);
}

export const endpointsUnderWay = new Gauge({
  name: 'worktrack_webhook_endpoints_under_way',
  help: 'Endpoints that this process is sending to.',
  registers: [registry],
});

export const deliveries = new Counter({
  name: 'worktrack_webhook_deliveries_total',
  help: 'Deliveries by the state that this process put them into: pending (queued), delivered, failed (given up).',
  labelNames: ['state'],
  registers: [registry],
});

const backlog = new Gauge({
  name: 'worktrack_webhook_backlog',
  help: 'Waiting deliveries (up to 10 000), and events of the log not looked through yet, of each of the webhooks that have been due longest or will be soonest.',
  labelNames: ['webhook'],
  registers: [registry],
});
const lagSeconds = new Gauge({
  name: 'worktrack_webhook_lag_seconds',
  help: 'How long the oldest delivery that has not been tried yet has been waiting.',
  registers: [registry],
});

export function tellBacklog(
  waiting: readonly { readonly _id: string; readonly count: number; readonly oldestAt: Date | undefined }[],
  nowMs: number,
): void {
  backlog.reset();
  for (const { _id, count } of waiting) backlog.set({ webhook: _id }, count);
  const oldestMs = Math.min(nowMs, ...waiting.flatMap(({ oldestAt }) => (oldestAt ? [oldestAt.getTime()] : [])));
  lagSeconds.set((nowMs - oldestMs) / 1000);
}
