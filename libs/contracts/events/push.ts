import { z } from 'zod';
import { ids } from '../examples.ts';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Url } from './webhooks.ts';

/** Browsers of a user. */
export const MAX_BROWSERS = 10;

/** What is pushed, as JSON: the worker of the console shows it. */
export interface PushPayload {
  readonly title: string;
  readonly body: string;
  /** The path that the message leads to. */
  readonly url: string;
  /** A message with the tag of an earlier one takes its place: one that was sent twice is shown once. */
  readonly tag: string;
}

/** What a user's browser has given for messages to it, without what sends them. */
export const SubscribedBrowser = z.object({
  id: RecordId,
  /** Which browser on which system, as it calls itself, such as `Firefox on Linux`. `null`: it does not say. */
  browser: z.string().nullable(),
  createdAt: Timestamp,
  /** When a message last went there. */
  lastUsedAt: Timestamp.nullable(),
  /** Only these are told of there: the projects of the key that subscribed it. `null`: all that the user may see. */
  projects: z.array(RecordId).nullable(),
});
export type SubscribedBrowser = z.infer<typeof SubscribedBrowser>;

const exampleBrowser: SubscribedBrowser = {
  ...{ id: ids.browser, browser: 'Firefox on Linux', createdAt: '2026-03-02T09:30:00.000Z' },
  ...{ lastUsedAt: null, projects: null },
};

export const listBrowsers = operation({
  name: 'push.list',
  summary: 'List the browsers in which you are notified by push, and the key for subscribing.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({
    /** The `applicationServerKey`: the public key of VAPID (RFC 8292), base64url. `null`: this installation does not push. */
    publicKey: z.string().nullable(),
    subscriptions: z.array(SubscribedBrowser),
  }),
  errors: [],
  example: {
    input: {},
    output: { publicKey: `BElXcxY8hJ8uVHVH${'…'}`, subscriptions: [exampleBrowser] },
  },
  rest: 'GET /api/me/push',
});

/** Base64url of this many characters, as `PushSubscription.toJSON()` writes it. */
const Base64Url = (length: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`), `must be ${length} characters of base64url`);

export const subscribeBrowser = operation({
  name: 'push.subscribe',
  summary: `Be notified in this browser by push, too: a \`PushSubscription\` that it made with the key. Repeating it changes nothing, and another user's subscription becomes yours. At most ${MAX_BROWSERS}.`,
  permissions: ['work-items:read'],
  withSender: true,
  own: 'user',
  effect: 'update',
  input: z.strictObject({
    endpoint: Url,
    /** RFC 8291: the browser's public key, an uncompressed point of P-256, and 16 random bytes. */
    keys: z.strictObject({ p256dh: Base64Url(87), auth: Base64Url(22) }),
  }),
  output: SubscribedBrowser,
  /** There are MAX_BROWSERS already. */
  errors: ['CONFLICT'],
  example: {
    input: {
      endpoint: 'https://push.example.net/send/fN0…',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
    output: exampleBrowser,
  },
  rest: 'POST /api/me/push',
});

export const unsubscribeBrowser = operation({
  name: 'push.unsubscribe',
  summary: 'End notifications in one of your browsers.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.browser }, output: { deleted: true, id: ids.browser } },
  rest: 'DELETE /api/me/push/:id',
});
