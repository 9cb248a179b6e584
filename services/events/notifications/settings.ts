import type {
  NotificationSettings,
  getNotificationSettings as readOperation,
  unsubscribe as unsubscribeOperation,
  storeNotificationSettings as writeOperation,
} from '@worktrack/contracts/events/notifications';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { resetChannel } from './channels/channels.repository.ts';
import { browsersOf, saveBrowser } from './channels/push/browsers.repository.ts';
import type { NotificationService } from './channels/service.ts';
import { withDefaults } from './kinds.ts';
import type { SettingsRecord } from './notifications.model.ts';
import {
  existing,
  type SettingsChange,
  saveSettings,
  settingsOfUser,
  turnMailOff,
} from './notifications.repository.ts';

type Writing = WriteContext<FailureOf<typeof writeOperation>>;

export const settingsOf: Read<typeof readOperation> = async (_, { caller }) => {
  return shown(await settingsOfUser(caller), caller);
};

export async function configure(
  service: NotificationService,
  { kinds = {}, language, mail, quietHours, webhook, address }: Input<typeof writeOperation>,
  context: Writing,
): Promise<Output<typeof writeOperation>> {
  const { caller, tx } = context;
  if (webhook) requireUsable(service, webhook.url, context);
  if (mail !== undefined && mail !== 'off') requireMail(service, context);
  const now = new Date();
  const before = await settingsOfUser(caller);
  // Whoever says where it is told says of what: otherwise a key that is limited to projects could have more told than it may see. Of each by itself: mail set by a key
  // without limits makes a chat that a limited one has set tell no more.
  const projects = caller.projects ? [...caller.projects] : null;
  const change: SettingsChange = {
    kinds,
    ...(language && { language }),
    ...(mail !== undefined && {
      mail: mail === 'off' ? null : { times: mail, address, since: before?.mail?.since ?? now, projects },
    }),
    ...(quietHours !== undefined && { quietHours }),
    ...(webhook !== undefined && { webhook: webhook && { ...webhook, since: now, problem: null, projects } }),
  };
  const saved = await saveSettings(caller, change, tx);
  // What they have still to tell is told by the new settings.
  if (saved.mail) await resetChannel(caller, 'mail', false, tx);
  if (saved.webhook) await resetChannel(caller, 'webhook', webhook !== undefined, tx);
  for (const { push } of await browsersOf(caller, tx)) await saveBrowser(caller, push, false, tx);
  return shown(saved, caller);
}

export async function unsubscribe(
  { unsubscribing }: NotificationService,
  { token }: Input<typeof unsubscribeOperation>,
  { tx }: WriteContext,
): Promise<Output<typeof unsubscribeOperation>> {
  const whom = unsubscribing.whom(token);
  if (whom) await turnMailOff(whom, tx);
  return { unsubscribed: whom !== undefined };
}

function shown(settings: SettingsRecord | undefined, caller: Writing['caller']): NotificationSettings {
  const { kinds, language = 'en', mail, quietHours = null, webhook } = settings ?? {};
  return {
    kinds: withDefaults(kinds),
    language,
    mail: mail?.times ?? 'off',
    quietHours,
    webhook: webhook ? { url: webhook.url, format: webhook.format, problem: webhook.problem } : null,
    projects: { mail: existing(mail?.projects, caller), webhook: existing(webhook?.projects, caller) },
  };
}

function requireUsable({ destinations }: NotificationService, url: string, { fail }: Writing): void {
  const message = destinations.problemOf(url);
  if (message === undefined) return;
  throw fail('VALIDATION_FAILED', `webhook.url: ${message}.`, { details: [{ path: 'webhook.url', message }] });
}

function requireMail({ mailer }: NotificationService, { fail }: Writing): void {
  if (mailer) return;
  const message =
    'is not possible: this installation sends no mail. Whoever runs it sets SMTP_URL (docs/operations.md)';
  throw fail('VALIDATION_FAILED', `mail ${message}.`, { details: [{ path: 'mail', message }] });
}
