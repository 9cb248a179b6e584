import type { Fail } from '@worktrack/contracts/errors';
import { type EventType, permissionToSee } from '@worktrack/contracts/events/event';
import type { EventPattern, Webhook } from '@worktrack/contracts/events/webhook';
import {
  type createWebhook as createOp,
  type deleteWebhook as deleteOp,
  MAX_WEBHOOKS,
  type rotateWebhookSecret as rotateOp,
  type updateWebhook as updateOp,
} from '@worktrack/contracts/events/webhooks';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { headOf } from '../log/heads.repository.ts';
import { requireWebhook } from './require.ts';
import { newSecret } from './sending/signature.ts';
import type { WebhookService } from './service.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import {
  changeWebhook,
  countWebhooks,
  insertWebhook,
  recordOf,
  removeWebhook,
  type WebhookChange,
} from './webhooks.repository.ts';

/** Of a webhook: each adds a signature to each request. */
const MAX_SECRETS = 5;

type Writing = WriteContext<'NOT_FOUND'>;

export async function createWebhook(
  { box, destinations }: WebhookService,
  input: Input<typeof createOp>,
  context: WriteContext<'VALIDATION_FAILED' | 'PERMISSION_DENIED' | 'CONFLICT'>,
): Promise<Output<typeof createOp>> {
  requireUsable(destinations, input.url, context);
  requireReadable(input.types, context);
  requireProjectOfLimited(input.projectId ?? null, context);
  if ((await countWebhooks(context)) >= MAX_WEBHOOKS) {
    throw context.fail(
      'CONFLICT',
      `The organization has ${MAX_WEBHOOKS} webhooks already. Delete one that is no longer used.`,
      { reason: 'limit' },
    );
  }
  await oneAtATime(context, 'webhooks');
  const id = uuidv7();
  const secret = newSecret();
  const { enabled, projectId = null, ...settings } = input;
  const webhook = insertWebhook(context, {
    ...settings,
    ...makerOf(context),
    _id: id,
    projectId,
    enabled,
    disabledReason: enabled ? null : 'by_hand',
    secrets: [{ sealed: box.seal(secret, id), endsAt: null }],
    cursor: await headOf(context.caller.organizationId, context.tx),
  });
  tell(context, 'webhook.created', webhook, { types: input.types, enabled });
  return { ...recordOf(webhook), secret };
}

export async function getWebhook({ id }: { readonly id: string }, context: ReadContext<'NOT_FOUND'>): Promise<Webhook> {
  return recordOf(await requireWebhook(id, context));
}

export async function updateWebhook(
  webhooks: WebhookService,
  { id, ...input }: Input<typeof updateOp>,
  context: WriteContext<'VALIDATION_FAILED' | 'NOT_FOUND' | 'PERMISSION_DENIED'>,
): Promise<Webhook> {
  const before = await requireWebhook(id, context);
  if (input.url !== undefined) requireUsable(webhooks.destinations, input.url, context);
  if (input.projectId !== undefined) requireProjectOfLimited(input.projectId, context);
  const { description, ...sending } = input;
  const isSending = Object.values(sending).some((value) => value !== undefined);
  if (isSending) requireReadable(input.types ?? before.types, context);
  const change: WebhookChange = {
    ...(input.url !== undefined && { url: input.url }),
    ...(input.types && { types: input.types }),
    ...(input.projectId !== undefined && { projectId: input.projectId }),
    ...(description !== undefined && { description }),
    // Whoever decides what is sent and where becomes its creator: otherwise they could have more sent to themselves than they may see.
    ...(isSending && makerOf(context)),
    ...(input.enabled === false && before.enabled && { enabled: false, disabledReason: 'by_hand' as const }),
    // Everything known about it dates from before it was fixed.
    ...(input.enabled === true && {
      ...{ enabled: true, disabledReason: null, failingSince: null, notBefore: null, unwell: false },
      dueAt: new Date(),
    }),
  };
  // One that is enabled resumes at once.
  context.writes.afterwards(() => webhooks.wake([context.caller.organizationId]));
  const after = changeWebhook(context, before, change);
  const changes = changesOf(before, after);
  // Told of no project if it has another one now: for those who are limited to that, the one that it came from does not exist.
  tell(context, 'webhook.updated', 'projectId' in changes ? { ...after, projectId: null } : after, { changes });
  return recordOf(after);
}

export const deleteWebhook: WriteAlone<typeof deleteOp> = async ({ id }, context) => {
  const webhook = await requireWebhook(id, context);
  removeWebhook(context, webhook);
  tell(context, 'webhook.deleted', { ...webhook, revision: webhook.revision + 1 }, {});
  return { deleted: true, id };
};

export async function rotateSecret(
  { box }: WebhookService,
  { id, overlapSeconds }: Input<typeof rotateOp>,
  context: Writing,
): Promise<Output<typeof rotateOp>> {
  const webhook = await requireWebhook(id, context);
  const secret = newSecret();
  const now = new Date();
  const overlapEndsAt = new Date(now.getTime() + overlapSeconds * 1_000);
  const before = webhook.secrets.flatMap(({ sealed, endsAt }) => {
    const end = endsAt !== null && endsAt < overlapEndsAt ? endsAt : overlapEndsAt;
    // One that cannot be read any more would keep the new one from signing.
    return end > now && box.opens(sealed, id) ? [{ sealed, endsAt: end }] : [];
  });
  // Whichever of several rotations at once gave the receiver its secret, and if the answer to one was lost, the receiver knows one of them.
  const secrets = [{ sealed: box.seal(secret, id), endsAt: null }, ...before].slice(0, MAX_SECRETS);
  tell(context, 'webhook.updated', changeWebhook(context, webhook, { secrets }), { rotated: true });
  return { id, secret, previousSignsUntil: overlapEndsAt.toISOString() };
}

function makerOf({ caller }: Pick<Writing, 'caller'>): Pick<WebhookDocument, 'maker' | 'permissions'> {
  const { userId, keyId, permissions } = caller;
  return { maker: { userId, keyId }, permissions: [...permissions] };
}

function requireUsable(
  destinations: WebhookService['destinations'],
  url: string,
  { fail }: { readonly fail: Fail<'VALIDATION_FAILED'> },
): void {
  const message = destinations.problemOf(url);
  if (message !== undefined)
    throw fail('VALIDATION_FAILED', `url: ${message}.`, { details: [{ path: 'url', message }] });
}

/** Types given by name must be readable by the key; with `*` it gets those that are. */
function requireReadable(
  types: readonly EventPattern[],
  { caller, fail }: Pick<WriteContext<'PERMISSION_DENIED'>, 'caller' | 'fail'>,
): void {
  for (const type of types) {
    if (type === '*') continue;
    const permission = permissionToSee(type);
    if (!caller.permissions.includes(permission)) {
      throw fail('PERMISSION_DENIED', `Events of type ${type} require ${permission}, which this key does not have.`);
    }
  }
}

/** That a project exists for the caller was checked by the gateway; without one, the webhook is the organization's. */
function requireProjectOfLimited(
  projectId: string | null,
  { caller, fail }: Pick<WriteContext<'PERMISSION_DENIED'>, 'caller' | 'fail'>,
): void {
  if (!caller.projects || (projectId !== null && caller.projects.includes(projectId))) return;
  const message = 'your key is limited to projects; pass one of them';
  throw fail('PERMISSION_DENIED', `projectId: ${message}.`, { details: [{ path: 'projectId', message }] });
}

type WebhookEventType = Extract<EventType, `webhook.${string}`>;

function tell(
  context: Pick<Writing, 'caller' | 'writes'>,
  type: WebhookEventType,
  { _id, revision, projectId }: WebhookDocument,
  data: Record<string, unknown>,
): void {
  emit(context, {
    ...{ type, revision, data },
    subject: { kind: 'webhook', id: _id },
    ...(projectId !== null && { projectId }),
  });
}

/** Without the URL itself: many contain a secret of the endpoint. */
function changesOf(before: WebhookDocument, after: WebhookDocument): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const field of ['types', 'projectId', 'description', 'enabled'] as const) {
    const [from, to] = [before[field], after[field]];
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[field] = { from, to };
  }
  if (before.url !== after.url) changes.url = {};
  return changes;
}
