import type { Webhook } from '@worktrack/contracts/events/webhook';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { Scope } from '@worktrack/runtime/database/scope';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import type { WebhookDocument } from './webhooks.model.ts';
import { changeWebhook, webhookById } from './webhooks.repository.ts';

type Reason = Exclude<NonNullable<Webhook['disabledReason']>, 'by_hand'>;

/** Done by the service itself, which gives the reason in an event. @returns false if it is already disabled or deleted */
export async function disableWebhook(scope: Scope, id: string, reason: Reason): Promise<boolean> {
  return commitAlone(async ({ tx, writes }) => {
    const webhook = await webhookById({ ...scope, tx }, id);
    if (!webhook?.enabled) return false;
    disabled({ ...scope, writes }, webhook, reason);
    return true;
  });
}

/** As part of a write. */
export function disabled(
  { caller, writes }: Scope & { readonly writes: WriteSet },
  webhook: WebhookDocument,
  reason: Reason,
): void {
  const { revision } = changeWebhook({ caller, writes }, webhook, { enabled: false, disabledReason: reason });
  emit(
    { caller: { ...caller, userId: '', keyId: '' }, writes },
    {
      type: 'webhook.disabled',
      subject: { kind: 'webhook', id: webhook._id },
      revision,
      ...(webhook.projectId !== null && { projectId: webhook.projectId }),
      data: { reason },
      actor: null,
    },
  );
}
