import { eventsContract } from '@worktrack/contracts/events/contract';
import { sending, write } from '@worktrack/runtime/database/handlers/handler-kinds';
import { implement } from '@worktrack/runtime/database/handlers/implement';
import { exportEntries, readAudit, readHeads } from './audit/read.ts';
import { recordRefusals } from './audit/refusals.ts';
import type { HeadSigner } from './audit/signing.ts';
import { readLog } from './log/read.ts';
import { mailInvitation } from './notifications/channels/invitation.ts';
import { listBrowsers, subscribeBrowser, unsubscribeBrowser } from './notifications/channels/push/browsers.ts';
import type { NotificationService } from './notifications/channels/service.ts';
import {
  isWatching,
  listMentions,
  readNotifications,
  setWatch,
  storedNotifications,
} from './notifications/notifications.ts';
import { configure, settingsOf, unsubscribe } from './notifications/settings.ts';
import { deliveriesOf } from './webhooks/deliveries/deliveries.ts';
import { replay } from './webhooks/replay.ts';
import type { WebhookService } from './webhooks/service.ts';
import { recordOf, webhooksOf } from './webhooks/webhooks.repository.ts';
import { createWebhook, deleteWebhook, getWebhook, rotateSecret, updateWebhook } from './webhooks/webhooks.ts';

/** @param signer without one, heads are not signed */
export function handlers(webhooks: WebhookService, notifications: NotificationService, signer: HeadSigner | undefined) {
  return implement(eventsContract, {
    'events.list': readLog,
    'webhooks.list': async (_, context) => (await webhooksOf(context)).map(recordOf),
    'webhooks.create': write((input, context) => createWebhook(webhooks, input, context), {
      record: (answer) => ({ ...answer, secret: null }),
    }),
    'webhooks.get': getWebhook,
    'webhooks.update': (input, context) => updateWebhook(webhooks, input, context),
    'webhooks.delete': deleteWebhook,
    'webhooks.rotate': write((input, context) => rotateSecret(webhooks, input, context), {
      record: (answer) => ({ ...answer, secret: null }),
    }),
    'webhooks.test': write((input, context) => webhooks.tests.run(input, context), { staged: true }),
    'webhooks.deliveries': deliveriesOf,
    'webhooks.replay': (input, context) => replay(webhooks, input, context),
    'notifications.stored': storedNotifications,
    'notifications.mentions': listMentions,
    'notifications.read': readNotifications,
    'notifications.settings': settingsOf,
    'notifications.store': (input, context) => configure(notifications, input, context),
    'notifications.unsubscribe': (input, context) => unsubscribe(notifications, input, context),
    'invitations.mail': write((input, context) => mailInvitation(notifications, input, context), { staged: true }),
    'push.list': (input, context) => listBrowsers(notifications, input, context),
    'push.subscribe': (input, context) => subscribeBrowser(notifications, input, context),
    'push.unsubscribe': unsubscribeBrowser,
    'notifications.setWatch': setWatch,
    'notifications.isWatching': isWatching,
    'audit.list': readAudit,
    'audit.export': sending(exportEntries),
    'audit.heads': readHeads,
    'audit.keys': async () => signer?.publicKeys() ?? { keys: [] },
    'audit.recordRefusals': recordRefusals,
  });
}
