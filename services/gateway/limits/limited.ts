import { registry } from '@worktrack/runtime/process/metrics';
import { Counter } from 'prom-client';

const LIMITS = ['refused-requests', 'unknown-keys', 'key-rate', 'fair-share', 'event-streams'] as const;

/** Requests that got 429 from the gateway's own limits, by limit. The intake's rates are not included. */
export const limited = new Counter({
  name: 'worktrack_gateway_limited_total',
  help: 'Requests answered 429, by limit: refused-requests, unknown-keys (both per address), key-rate, fair-share, event-streams.',
  labelNames: ['limit'],
  registers: [registry],
});
for (const limit of LIMITS) limited.inc({ limit }, 0);
