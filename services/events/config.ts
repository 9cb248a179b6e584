import { networksSetting } from '@worktrack/runtime/outbound/networks';
import {
  databaseSettings,
  loadConfig,
  processSettings,
  publicUrlSetting,
  rabbitmqSettings,
} from '@worktrack/runtime/process/config';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';
import { vapidKeysSetting } from './notifications/channels/push/vapid.ts';

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.events,
  ...eventSecrets,
  ...databaseSettings,
  /** How long an event stays in the log. */
  EVENTS_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
  /** Encrypts the secrets of webhooks in the database. The first encrypts, all decrypt. */
  WEBHOOK_SECRETS: keyRingSetting,
  /** Signs the heads of audit logs. The first signs, the public halves of all are published. */
  AUDIT_SIGNING_KEYS: keyRingSetting.optional(),
  /** How long an entry stays in the audit log. */
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(400),
  /** Networks besides the public internet that webhooks may be sent to. */
  WEBHOOK_ALLOWED_NETWORKS: networksSetting,
  /** Networks besides the public internet that notifications may be sent to in a chat. Every user chooses where. */
  NOTIFICATION_ALLOWED_NETWORKS: networksSetting,
  /** Where clients reach the service: links in messages begin with it. By default, where the gateway listens by default. */
  PUBLIC_URL: publicUrlSetting.default('http://127.0.0.1:3000'),
  /** The server that takes mail. Without it none is sent. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL such as smtps://user:password@smtp.example.com' })
    .optional(),
  /** Whom mail is from. By default `worktrack@` the host of PUBLIC_URL. */
  MAIL_FROM: z.string().regex(/@/, 'must be an address such as worktrack@example.com').optional(),
  /** By which push services know this installation. Without it nobody is told by push. */
  VAPID_KEYS: vapidKeysSetting.optional(),
  /** Whom push services turn to about what is sent. By default `mailto:worktrack@` the host of PUBLIC_URL. */
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be such as mailto:you@example.com, or an https URL')
    .optional(),
};

export const config = () => loadConfig(settings);
