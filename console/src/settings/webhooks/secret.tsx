import type { rotateWebhookSecret } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useSubmit } from '../../parts/busy.ts';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { words as common } from '../messages.ts';
import { Overlap } from '../overlap.tsx';
import { ShownOnce } from '../shown-once.tsx';
import { words } from './messages.ts';

export function ShownSecret({ secret, onClose }: { readonly secret: string | null; readonly onClose: () => void }) {
  return (
    <ShownOnce title={words.secret} secret={secret} help={words.secretHelp} copy={words.copySecret} onClose={onClose} />
  );
}

export function RotateSecret({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>();
  const [hours, setHours] = useState('24');
  const { isBusy, error, run } = useSubmit();
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  const rotate = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const asked = { id: webhookId, overlapSeconds: Number(hours) * 3_600 };
      setSecret((await call<typeof rotateWebhookSecret>('POST /api/webhooks/:id/rotate', asked)).secret);
    });
  };
  return (
    <Dialog title={words.rotate} onClose={onClose}>
      <form class="stack" onSubmit={rotate}>
        <Overlap label={words.overlap} mostHours={24} hours={hours} onChoose={setHours} />
        <FormFailed what={common.notChanged} error={error} />
        <FormActions action={words.rotate} isReady={!isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
