import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { listWebhooks } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import { filter } from '../../router.ts';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { SettingsList, SettingsSection } from '../section.tsx';
import { Deliveries } from './deliveries.tsx';
import { words } from './messages.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';

export function Webhooks() {
  const webhooks = useQuery({
    key: ['webhooks'],
    load: (signal) => call<typeof listWebhooks>('GET /api/webhooks', {}, { signal }),
    follows: ({ subject }) => subject.kind === 'webhook',
  });
  const chosenId = filter('webhook');
  const chosen = webhooks.data?.find(({ id }) => id === chosenId);
  if (chosen) return <Deliveries key={chosen.id} webhook={chosen} />;
  return <Loaded query={webhooks}>{(all) => <WebhookList webhooks={all} />}</Loaded>;
}

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const [isMaking, setMaking] = useState(false);
  return (
    <SettingsSection
      title={common.webhooks}
      help={words.help}
      action={may('webhooks:write') && <Button look="main" text={words.newWebhook} onClick={() => setMaking(true)} />}
    >
      <SettingsList of={webhooks} none={words.none}>
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
      </SettingsList>
      {isMaking && <WebhookForm onClose={() => setMaking(false)} />}
    </SettingsSection>
  );
}
