import {
  getNotificationSettings,
  type NotificationSettings,
  readNotifications,
  updateNotificationSettings,
} from '@worktrack/contracts/events/notifications';
import { listNotifications, type Notification } from '@worktrack/contracts/gateway/notifications';
import { Command } from 'commander';
import { addFlags, fieldNames, fieldsFrom } from '../../flags.ts';
import { withJson } from '../../options.ts';
import { minute, oneLine, print, printJson, printList, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';

export function notificationCommand(): Command {
  const notification = new Command('notification').description('what you were told of');
  addFlags(
    notification.command('list').description('list what you were told of, newest first'),
    listNotifications,
  ).action(list);
  notification
    .command('read [ids...]')
    .description('mark these as read, or all')
    .action(async (ids: string[], { json }: Options) => {
      const { unread } = await api().call(readNotifications, ids.length > 0 ? { ids } : {}, {
        placed: { ids: '<ids>' },
      });
      if (json) return printJson({ unread });
      print(unread === 0 ? 'Nothing is left to read.' : `${unread} are left to read.`);
    });
  addFlags(
    notification.command('settings').description('show of what you are told, and where, or change it'),
    updateNotificationSettings,
  ).action(async (options: Options) => {
    const isChange = fieldNames(updateNotificationSettings).some((field) => options[field] !== undefined);
    const settings = isChange
      ? await send(updateNotificationSettings, {}, options)
      : await api().call(getNotificationSettings, {});
    if (options.json) return printJson(settings);
    printSettings(settings);
  });
  return withJson(notification);
}

async function list(options: Options): Promise<void> {
  const found = await api().call(listNotifications, await fieldsFrom(listNotifications, options));
  if (options.json) return printJson(found);
  printList(
    found.notifications,
    { ID: 'id', KIND: 'kind', AT: ({ at }) => minute(at), ITEM: 'taskId', WHAT: (each) => oneLine(whatOf(each)) },
    'You were told of nothing.',
  );
  if (found.nextCursor !== null) print(`\nThere are more: --cursor ${found.nextCursor}`);
}

const whatOf = ({ text, workItem }: Notification) => [text, workItem?.title].filter(Boolean).join(': ');

function printSettings({ kinds, language, mail, quietHours, webhook, projects }: NotificationSettings): void {
  printRecord({
    ...kinds,
    language,
    mail,
    quietHours: quietHours ? `${quietHours.from} to ${quietHours.to}, ${quietHours.timeZone}` : 'none',
    webhook: webhook ? [webhook.format, oneLine(webhook.url), webhook.problem].filter(Boolean).join(' ') : 'none',
    ...(projects.mail && { 'projects by mail': projects.mail.join(', ') }),
    ...(projects.webhook && { 'projects in the chat': projects.webhook.join(', ') }),
  });
}
