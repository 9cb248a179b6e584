import { registry } from '@worktrack/runtime/process/metrics';
import { Counter } from 'prom-client';

const LIMITS = [
  'refused-requests',
  'unknown-keys',
  'token-requests',
  'client-registrations',
  'key-rate',
  'fair-share',
  'event-streams',
] as const;

/** Requests that got 429 from the gateway's own limits, by limit. The intake's rates are not included. */
export const limited: { inc(labels: { readonly limit: (typeof LIMITS)[number] }, by?: number): void } = new Counter({
  name: 'worktrack_gateway_limited_total',
  help: `Requests answered 429, by limit: ${LIMITS.join(', ')}.`,
  labelNames: ['limit'],
  registers: [registry],
});
for (const limit of LIMITS) limited.inc({ limit }, 0);
