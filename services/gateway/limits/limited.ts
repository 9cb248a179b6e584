import { registry } from '@worktrack/runtime/process/metrics';
import { Counter } from 'prom-client';

const LIMITS = ['refused-requests', 'unknown-keys', 'key-rate', 'fair-share'] as const;

/** Requests that were answered 429 by the gateway's own limits, by limit. Those of the intake's rates are not among them. */
export const limited = new Counter({
  name: 'worktrack_gateway_limited_total',
  help: 'Requests answered 429, by limit: refused-requests, unknown-keys (both per address), key-rate, fair-share.',
  labelNames: ['limit'],
  registers: [registry],
});
for (const limit of LIMITS) limited.inc({ limit }, 0);
