import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { updateNotificationSettings } from '@worktrack/contracts/events/notifications';
import type { subscribeBrowser } from '@worktrack/contracts/events/push';
import type { createWebhook, rotateWebhookSecret, updateWebhook } from '@worktrack/contracts/events/webhooks';
import type { createSource, updateSource } from '@worktrack/contracts/feedback/sources';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Input, Operation, Output } from '@worktrack/contracts/operation';
import { holdsAll, LOST_RIGHTS } from '@worktrack/contracts/rights';
import type { CallOptions, Log, Reply } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients } from './clients.ts';

type Undo = (clients: Clients, options: CallOptions, identity: Identity) => Promise<unknown>;

const disablingWebhook =
  (id: string): Undo =>
  ({ events }, options) =>
    events.call('webhooks.update', { id, enabled: false }, options);

/** What goes on telling or taking in after its call, by the operation that sets it up, and how it is ended. */
const OUTLASTING: Readonly<Record<string, (input: unknown, output: unknown) => Undo | undefined>> = {
  'webhooks.create': (_, output) => {
    const { id } = output as Output<typeof createWebhook>;
    return ({ events }, options) => events.call('webhooks.delete', { id }, options);
  },
  'webhooks.update': (input) => {
    const { id, description: _, ...sending } = input as Input<typeof updateWebhook>;
    return Object.keys(sending).length > 0 ? disablingWebhook(id) : undefined;
  },
  'webhooks.rotate': (input) => disablingWebhook((input as Input<typeof rotateWebhookSecret>).id),
  'sources.create': (_, output) => {
    const { id } = output as Output<typeof createSource>;
    return ({ feedback }, options) => feedback.call('sources.delete', { id, erase: true }, options);
  },
  'sources.update': (input) => {
    const { id, name: _, ...takingIn } = input as Input<typeof updateSource>;
    if (Object.keys(takingIn).length === 0) return undefined;
    return ({ feedback }, options) => feedback.call('sources.update', { id, enabled: false }, options);
  },
  'notifications.configure': (input) => {
    const { mail, webhook } = input as Input<typeof updateNotificationSettings>;
    if (mail === undefined && !webhook) return undefined;
    const off = { ...(mail !== undefined && { mail: 'off' as const }), ...(webhook && { webhook: null }) };
    return ({ events }, options, { user }) =>
      events.call('notifications.store', { ...off, address: user.email }, options);
  },
  'push.subscribe': (_, output) => {
    const { id } = output as Output<typeof subscribeBrowser>;
    return ({ events }, options) => events.call('push.unsubscribe', { id }, options);
  },
};

/**
 * While this was set up, the key may have been revoked, or its user demoted, in another service, which knows nothing of it. So the keys service is asked once
 * it is stored, bypassing the cache. If the caller still holds everything, any later loss finds it there: in a list after the revocation, and in the log, where
 * the event of the change follows. Otherwise it is ended.
 * @throws OperationError PERMISSION_DENIED if the caller holds less than the call was let in with
 */
export async function requireNoneOutlasts(
  operation: Operation,
  input: unknown,
  { output, replayed }: Reply<unknown>,
  { identity, caller, requestId }: { readonly identity: Identity; readonly caller: Caller; readonly requestId: string },
  { clients, log }: { readonly clients: Clients; readonly log: Log },
): Promise<void> {
  const undo = replayed ? undefined : OUTLASTING[operation.name]?.(input, output);
  if (!undo) return;
  const { prefix } = identity.key;
  const { identity: now } = await clients.keys.call('identity.current', { prefix }, { requestId });
  if (now && holdsAll(now, identity)) return;
  await undo(clients, { caller, requestId, idempotencyKey: uuidv7() }, identity).catch((error) =>
    log.error(
      { error, requestId, operation: operation.name },
      'What was set up for a caller who has lost rights is still there',
    ),
  );
  throw new OperationError('PERMISSION_DENIED', LOST_RIGHTS);
}
