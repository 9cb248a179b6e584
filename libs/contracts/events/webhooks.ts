import { z } from 'zod';
import { exampleDelivery, exampleWebhook, ids } from '../examples.ts';
import { Id, MAX_PAGE_SIZE, NextCursor, oneLine, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { DELIVERY_STATES, Delivery, EventPattern, Webhook } from './webhook.ts';

/** So that an organization's webhooks fit in one list, and one event means a bounded number of requests. */
export const MAX_WEBHOOKS = 50;
const MAX_URL_LENGTH = 2_048;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_TYPES = 100;
const MAX_REPLAYED = 100;
/** Longer than an endpoint may take to answer a test. */
const TEST_DEADLINE_MS = 25_000;

/** `null` in the response to a repeated request: it is shown only once. */
const ShownOnce = z.string().nullable();

export const Url = z
  .string()
  .trim()
  .max(MAX_URL_LENGTH)
  // The parser would drop line breaks and tabs, so that what is shown is not where events go.
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be an https URL')
  .meta({ format: 'uri' });
const Types = z.array(EventPattern).min(1).max(MAX_TYPES);
const Description = oneLine(MAX_DESCRIPTION_LENGTH, { mayBeEmpty: true });

export const listWebhooks = operation({
  name: 'webhooks.list',
  summary: "List the organization's webhooks, newest first.",
  permissions: ['webhooks:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.array(Webhook),
  errors: [],
  example: { input: {}, output: [exampleWebhook] },
  rest: 'GET /api/webhooks',
});

export const createWebhook = operation({
  name: 'webhooks.create',
  summary:
    'Create a webhook: from now on, events are sent to its URL. The secret that signs them is shown in this response and never again.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'create',
  input: z.strictObject({
    url: Url,
    /** Event types (`work_item.moved`), all of a kind (`work_item.*`) or all (`*`); of these it gets those that your key may read. */
    types: Types.default(['*']),
    projectId: Id.optional(),
    description: Description.default(''),
    enabled: z.boolean().default(true),
  }),
  output: Webhook.extend({ secret: ShownOnce }),
  /** PERMISSION_DENIED: the key may not read events of a kind that was named. CONFLICT: there are already MAX_WEBHOOKS. */
  errors: ['PERMISSION_DENIED', 'CONFLICT'],
  example: {
    input: { url: exampleWebhook.url, types: ['work_item.*'] },
    output: { ...exampleWebhook, secret: `whsec_C2FVsBQIhrscChlQIMV${'…'}` },
  },
  rest: 'POST /api/webhooks',
});

export const getWebhook = operation({
  name: 'webhooks.get',
  summary: 'Get a webhook.',
  permissions: ['webhooks:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: Webhook,
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.webhook }, output: exampleWebhook },
  rest: 'GET /api/webhooks/:id',
});

export const updateWebhook = operation({
  name: 'webhooks.update',
  summary:
    'Change a webhook. When it is enabled again, it continues where it stopped. The change applies to requests that begin a second or more after this response.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    url: Url.optional(),
    types: Types.optional(),
    /** `null`: events of all projects. */
    projectId: Id.nullable().optional(),
    description: Description.optional(),
    enabled: z.boolean().optional(),
  }),
  output: Webhook,
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: {
    input: { id: ids.webhook, types: ['work_item.ready'] },
    output: { ...exampleWebhook, types: ['work_item.ready'] },
  },
  rest: 'PATCH /api/webhooks/:id',
});

export const deleteWebhook = operation({
  name: 'webhooks.delete',
  summary: 'Delete a webhook. Events that are not delivered yet will not be sent.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.webhook }, output: { deleted: true, id: ids.webhook } },
  rest: 'DELETE /api/webhooks/:id',
});

const MAX_OVERLAP_SECONDS = 86_400;

export const rotateWebhookSecret = operation({
  name: 'webhooks.rotate',
  summary:
    'Give a webhook a new secret, shown in this response and never again. Earlier secrets also sign until the overlap ends.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'create',
  input: z.strictObject({
    id: Id,
    /** How long those before still sign; 0 after a leak. */
    overlapSeconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(MAX_OVERLAP_SECONDS),
  }),
  output: z.object({ id: RecordId, secret: ShownOnce, previousSignsUntil: Timestamp }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.webhook },
    output: {
      id: ids.webhook,
      secret: `whsec_wfK5n1pZ0rC6dHq8TnV${'…'}`,
      previousSignsUntil: '2026-03-03T10:15:00.000Z',
    },
  },
  rest: 'POST /api/webhooks/:id/rotate',
});

export const testWebhook = operation({
  name: 'webhooks.test',
  summary: 'Send an event of type `webhook.test` to a webhook now, once. The response shows the outcome.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'create',
  input: z.strictObject({ id: Id }),
  output: Delivery,
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
  example: {
    input: { id: ids.webhook },
    output: {
      ...exampleDelivery,
      seq: 0,
      type: 'webhook.test',
      subject: { kind: 'webhook', id: ids.webhook },
    },
  },
  rest: 'POST /api/webhooks/:id/test',
  deadlineMs: TEST_DEADLINE_MS,
  lane: 'long',
});

export const listDeliveries = operation({
  name: 'webhooks.deliveries',
  summary: 'List the deliveries of a webhook in the last 30 days, newest first.',
  permissions: ['webhooks:read'],
  effect: 'read',
  input: z.strictObject({
    id: Id,
    state: z.enum(DELIVERY_STATES).optional(),
    limit: z.int().min(1).max(MAX_PAGE_SIZE).default(50),
    /** `nextCursor` of the previous page. */
    cursor: Id.optional(),
  }),
  output: z.object({ items: z.array(Delivery), nextCursor: NextCursor }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.webhook, state: 'delivered' },
    output: { items: [exampleDelivery], nextCursor: null },
  },
  rest: 'GET /api/webhooks/:id/deliveries',
});

export const replayWebhook = operation({
  name: 'webhooks.replay',
  summary:
    'Send events again: those in the log after a `seq` that the webhook subscribes to, or those of certain deliveries. They keep their ids.',
  permissions: ['webhooks:write'],
  audit: 'webhook',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    /** Everything in the log after this `seq`. */
    after: z.int().min(0).optional(),
    deliveryIds: z.array(Id).min(1).max(MAX_REPLAYED).optional(),
  }),
  output: z.object({
    /** How many events of the log are processed again, or how many deliveries are sent again. */
    replayed: z.int(),
  }),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.webhook, after: 4_700 }, output: { replayed: 12 } },
  rest: 'POST /api/webhooks/:id/replay',
});
