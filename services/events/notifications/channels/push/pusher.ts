// The library web-push comes from those who wrote the protocol's first servers. It is complete and therefore quiet: its last release is of January 2024. Some
// of its dependencies, for JWTs and ASN.1 (jws, asn1.js with bn.js), do what node:crypto does by now. Others, for proxies and a command line, are not called:
// requests are made here, and sent by our own sender, which goes nowhere private. In the tests, a second implementation reads what the library encrypts.

import type { NotificationKind } from '@worktrack/contracts/events/notifications';
import type { PushPayload } from '@worktrack/contracts/events/push';
import type { Language } from '@worktrack/contracts/people/languages';
import webPush from 'web-push';
import type { Sender } from '../../../webhooks/sending/send.ts';
import type { NotificationRecord } from '../../notifications.model.ts';
import type { PushRecord } from '../channels.model.ts';
import { counted, type Message, messageOf, told } from '../message.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { VapidKeys } from './vapid.ts';

/** For as long a push service keeps a message for a browser that is away: a day later, it is no news. */
const TTL_SECONDS = 24 * 60 * 60;
/** Such as wake a phone (RFC 8030, 5.3): they wait for this user. */
const URGENT: readonly NotificationKind[] = ['mention', 'assigned', 'need'];
/** Systems show some four lines. In UTF-8 this is at most 1.6 kB of the 4 kB that every push service takes (RFC 8030, 7.2). */
const MAX_LINES = 4;
const MAX_BODY_CHARACTERS = 400;

export interface PushSettings {
  readonly VAPID_KEYS: VapidKeys;
  readonly VAPID_SUBJECT?: string | undefined;
  readonly PUBLIC_URL: string;
}

/** Sends messages to browsers by their push services. */
export class Pusher {
  readonly publicKey: string;
  readonly #vapid: VapidKeys & { readonly subject: string };
  readonly #basePath: string;
  readonly #sender: Sender;

  constructor({ VAPID_KEYS, VAPID_SUBJECT, PUBLIC_URL }: PushSettings, sender: Sender) {
    const { hostname, pathname } = new URL(PUBLIC_URL);
    this.publicKey = VAPID_KEYS.publicKey;
    this.#vapid = { ...VAPID_KEYS, subject: VAPID_SUBJECT ?? `mailto:worktrack@${hostname}` };
    // A URL without a path has this one.
    this.#basePath = pathname === '/' ? '' : pathname;
    this.#sender = sender;
  }

  /** Never throws for what the push service does: that is the outcome. */
  async send(
    { endpoint, keys }: PushRecord,
    all: readonly NotificationRecord[],
    language?: Language,
  ): Promise<Outcome> {
    const payload = payloadOf(messageOf(all, this.#basePath, language), all[0]?._id ?? '');
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(payload), {
      ...{ vapidDetails: this.#vapid, TTL: TTL_SECONDS, contentEncoding: 'aes128gcm' },
      urgency: all.some(({ kind }) => URGENT.includes(kind)) ? 'high' : 'normal',
    });
    return outcomeOf(await this.#sender.post(endpoint, headers, body));
  }
}

function payloadOf({ lines, more, allUrl, words }: Message, tag: string): PushPayload {
  const [first, ...others] = lines;
  if (first && others.length === 0) {
    const title = `${first.taskId} ${first.title}`.trim();
    return { title, body: shortened(first.said), url: first.url, tag };
  }
  const shown = lines.slice(0, MAX_LINES).map((line) => `${line.taskId} ${told(line)}`);
  return { title: counted(words.news, lines.length + more), body: shortened(shown.join('\n')), url: allUrl, tag };
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > MAX_BODY_CHARACTERS ? `${characters.slice(0, MAX_BODY_CHARACTERS).join('')}…` : text;
}
