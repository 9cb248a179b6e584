import { registry } from '@worktrack/runtime/process/metrics';
import { Counter, Gauge } from 'prom-client';
import { CHANNELS } from '../notifications.model.ts';
import type { Outcome } from './outcome.ts';

export const messages = new Counter({
  name: 'worktrack_notification_messages_total',
  help: 'Messages with notifications by channel (mail, webhook, push) and what became of them: told, failed (tried again), refused (given up).',
  labelNames: ['channel', 'state'],
  registers: [registry],
});

// From the first scrape on, so that the first of each is a rise, and not the beginning of something unknown.
for (const channel of CHANNELS) {
  for (const state of ['told', 'failed', 'refused'] as const satisfies Outcome['state'][])
    messages.inc({ channel, state }, 0);
}

export const lagSeconds = new Gauge({
  name: 'worktrack_notification_lag_seconds',
  help: 'How long the notifications that have waited longest for their message are overdue, by channel. Those of channels whose last message failed are not among them.',
  labelNames: ['channel'],
  registers: [registry],
});
