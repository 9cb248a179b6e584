import type { MailTimes } from '@worktrack/contracts/events/notifications';
import type { Log } from '@worktrack/rpc/types';
import type { Sender } from '../../webhooks/sending/send.ts';
import { pauseMs } from '../../webhooks/turns/schedule.ts';
import { withDefaults } from '../kinds.ts';
import type { NotificationRecord, SettingsRecord } from '../notifications.model.ts';
import { settingsOfUser, stopWebhook } from '../notifications.repository.ts';
import type { ChannelRecord } from './channels.model.ts';
import { markTold, type TurnEnd, untoldOf, WELL } from './channels.repository.ts';
import { chatBody } from './chat.ts';
import type { Mailer } from './mail.ts';
import { countMailAtOnce } from './mails.repository.ts';
import { messageOf } from './message.ts';
import { messages } from './metrics.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { removeBrowser } from './push/browsers.repository.ts';
import type { Pusher } from './push/pusher.ts';
import { tellAtMs } from './times.ts';
import type { Unsubscribing } from './unsubscribing.ts';

/** What is gathered in one message. */
const MAX_GATHERED = 500;

export interface TellingParts {
  readonly sender: Sender;
  readonly mailer: Mailer | undefined;
  readonly pusher: Pusher | undefined;
  readonly unsubscribing: Unsubscribing;
  readonly publicUrl: string;
  readonly log: Log;
}

/**
 * Tells a user, in one message, everything that a channel has not told yet and nobody has read. It is recorded after the message has gone. If a process dies in
 * between, the message goes again (at least once): a mail under the same Message-ID, a push under the same tag.
 */
export async function tell(channel: ChannelRecord, parts: TellingParts, isStillHeld: () => boolean): Promise<TurnEnd> {
  const { attempts, unwell, notBefore } = channel;
  const asItWas = { attempts, unwell, notBefore };
  const now = new Date();
  // Browsers are told without any, too.
  const settings: Wishes = (await settingsOfUser(channel)) ?? { kinds: {} };
  const route = routeOf(channel, settings, parts);
  if (!route) return asItWas;
  if (notBefore > now) return { ...asItWas, dueAt: notBefore };
  const untold = await untoldOf(channel, route.since, MAX_GATHERED);
  const [oldest] = untold;
  if (!oldest) return asItWas;
  const dueBy = (times: Route['times']) =>
    new Date(tellAtMs({ times, quietHours: settings.quietHours }, oldest.at.getTime(), now.getTime()));
  const dueAt = dueBy(route.times);
  if (dueAt > now) return { ...asItWas, dueAt };

  const wanted = untold.filter((each) => isWanted(each, settings, route));
  const digestAt = dueBy('daily');
  if (wanted.length > 0 && digestAt > now && !(await route.mayAtOnce(now))) return { ...asItWas, dueAt: digestAt };
  if (!isStillHeld()) return { ...asItWas, dueAt: now };
  const outcome: Outcome = wanted.length > 0 ? await route.send(wanted) : { state: 'told' };
  const pause = outcome.state === 'failed' ? pauseMs(attempts + 1, outcome.wishMs) : undefined;
  if (wanted.length > 0) {
    messages.inc({
      channel: channel.channel,
      state: pause === undefined && outcome.state === 'failed' ? 'refused' : outcome.state,
    });
  }
  if (pause !== undefined) {
    const later = new Date(Date.now() + pause);
    return { attempts: attempts + 1, unwell: true, notBefore: later, dueAt: later };
  }
  if (outcome.state !== 'told') await route.giveUp(outcome);
  await markTold(
    channel,
    untold.map(({ _id }) => _id),
  );
  return {
    ...WELL,
    ...(untold.length === MAX_GATHERED && { dueAt: new Date() }),
    ...(wanted.length > 0 && outcome.state === 'told' && { toldAt: new Date() }),
  };
}

type Wishes = Pick<SettingsRecord, 'kinds' | 'language' | 'mail' | 'webhook' | 'quietHours'>;

/** As it is when it is told: kinds and projects may have changed since it happened. */
function isWanted(
  { kind, projectId }: NotificationRecord,
  { kinds }: Wishes,
  { projects }: Pick<Route, 'projects'>,
): boolean {
  return withDefaults(kinds)[kind] && (!projects || projects.includes(projectId));
}

interface Route {
  readonly since: Date;
  readonly times: Exclude<MailTimes, 'off'>;
  /** null: of all. */
  readonly projects: readonly string[] | null;
  /** Counts it. If not, it is told with the daily digest. */
  mayAtOnce(now: Date): Promise<boolean>;
  send(told: readonly NotificationRecord[]): Promise<Outcome>;
  giveUp(outcome: Exclude<Outcome, { readonly state: 'told' }>): Promise<void>;
}

/** @returns undefined if the channel is off */
function routeOf(
  channel: ChannelRecord,
  { language, mail, webhook }: Wishes,
  { mailer, pusher, sender, unsubscribing, publicUrl, log }: TellingParts,
): Route | undefined {
  // Of this one; the next is tried again.
  const giveUp: Route['giveUp'] = async ({ why }) =>
    log.warn({ why, channel: channel.channel, user: channel.userId }, 'A message was given up');
  const mayAtOnce = async () => true;
  if (channel.channel === 'push') {
    const { push } = channel;
    if (!push || push.publicKey !== pusher?.publicKey) return undefined;
    const { organizationId, userId } = channel;
    return {
      ...{ since: push.since, times: 'at_once', projects: push.projects, mayAtOnce },
      send: (told) => pusher.send(push, told, language),
      giveUp: async (outcome) => {
        if (outcome.state === 'refused') await removeBrowser({ organizationId, userId, id: push.id });
        else await giveUp(outcome);
      },
    };
  }
  if (channel.channel === 'mail') {
    if (!mail || !mailer) return undefined;
    return {
      ...{ ...mail, giveUp },
      mayAtOnce: (now) =>
        mail.times === 'at_once' ? countMailAtOnce(channel.organizationId, mail.address, now) : mayAtOnce(),
      send: (told) =>
        mailer.tell(messageOf(told, publicUrl, language), {
          to: mail.address,
          id: `${told[0]?._id}.${channel.userId}`,
          unsubscribeUrl: unsubscribing.urlFor(channel),
        }),
    };
  }
  if (!webhook || webhook.problem !== null) return undefined;
  return {
    ...{ since: webhook.since, projects: webhook.projects, times: 'at_once', mayAtOnce },
    send: async (told) => {
      const { url, format } = webhook;
      return outcomeOf(
        await sender.post(url, {}, JSON.stringify(chatBody(format, messageOf(told, publicUrl, language)))),
      );
    },
    giveUp: ({ why }) => stopWebhook(channel, webhook, why),
  };
}
