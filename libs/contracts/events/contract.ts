import { auditKeys, exportAudit, listAudit, listAuditHeads, recordRefusals } from '../audit/operations.ts';
import { serviceContract } from '../operation.ts';
import { mailInvitation } from './invitations.ts';
import { listEvents } from './list.ts';
import {
  getNotificationSettings,
  isWatching,
  listMentions,
  readNotifications,
  setWatch,
  storedNotifications,
  storeNotificationSettings,
  unsubscribe,
} from './notifications.ts';
import { listBrowsers, subscribeBrowser, unsubscribeBrowser } from './push.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';

export const eventsContract = serviceContract('events', [
  listEvents,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  replayWebhook,
  storedNotifications,
  listMentions,
  readNotifications,
  getNotificationSettings,
  storeNotificationSettings,
  unsubscribe,
  listBrowsers,
  subscribeBrowser,
  unsubscribeBrowser,
  mailInvitation,
  setWatch,
  isWatching,
  listAudit,
  exportAudit,
  listAuditHeads,
  auditKeys,
  recordRefusals,
]);
