import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { deleteWebhook, updateWebhook } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { now } from '../../clock.ts';
import { fromNow } from '../../language/format.ts';
import { words as parts } from '../../parts/messages.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { Menu } from '../../parts/popup/menu.tsx';
import { When } from '../../parts/when.tsx';
import { to } from '../../router.ts';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { change } from '../section.tsx';
import { words } from './messages.ts';
import { RotateSecret } from './secret.tsx';
import { WebhookForm } from './webhook-form.tsx';

const TONES = { active: 'tag tag-good', failing: 'tag tag-bad', disabled: 'tag' } as const;

export function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, types, projectId, state, enabled, disabledReason, failingSince, createdAt } = webhook;
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const close = () => setOpen(undefined);
  const setEnabled = () =>
    change('webhooks', common.saved, () =>
      call<typeof updateWebhook>('PATCH /api/webhooks/:id', { id, enabled: !enabled }),
    );
  const remove = () =>
    change('webhooks', common.deleted({ name: url }), () =>
      call<typeof deleteWebhook>('DELETE /api/webhooks/:id', { id }),
    );
  return (
    <li class={enabled ? 'settings-row' : 'settings-row settings-ended'}>
      <div>
        <div class="row">
          <h2>{url}</h2>
          <span class={TONES[state]}>{words[state]}</span>
        </div>
        {description && <p>{description}</p>}
        <ul class="plain row quiet facts settings-facts">
          <li>{types.includes('*') ? words.everything : types.join(', ')}</li>
          <InProjects ids={projectId ? [projectId] : null} />
          {disabledReason !== null && <li>{REASONS[disabledReason]()}</li>}
          {enabled && failingSince !== null && (
            <li>{words.failingSince({ time: fromNow(failingSince, now.value) })}</li>
          )}
          <li>
            {common.created} <When at={createdAt} />
          </li>
        </ul>
      </div>
      <div class="row">
        <a class="button" href={to('settings/webhooks', { webhook: id })} aria-label={words.deliveriesOf({ url })}>
          {words.deliveries}
        </a>
        {may('webhooks:write') && (
          <Menu
            label={words.more({ url })}
            items={[
              { label: words.edit, run: () => setOpen('edit') },
              { label: enabled ? common.disable : common.enable, run: () => void setEnabled() },
              { label: words.rotate, run: () => setOpen('rotate') },
              { label: parts.delete, run: () => setOpen('delete') },
            ]}
          >
            ⋯
          </Menu>
        )}
      </div>
      {open === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhookId={id} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={`${parts.delete}: ${url}`}
          text={words.deleteText}
          action={parts.delete}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </li>
  );
}

const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, () => string>> = {
  by_hand: () => words.by_hand,
  gone: () => words.gone,
  failing: () => words.failed_days,
  maker: () => words.maker,
};
