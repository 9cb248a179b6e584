import type { rotateWebhookSecret } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
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
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  const rotate = async () => {
    const asked = { id: webhookId, overlapSeconds: Number(hours) * 3_600 };
    setSecret((await call<typeof rotateWebhookSecret>('POST /api/webhooks/:id/rotate', asked)).secret);
  };
  return (
    <Dialog title={words.rotate} onClose={onClose}>
      <DialogForm action={words.rotate} isReady onSend={rotate} onClose={onClose}>
        <Overlap label={words.overlap} mostHours={24} hours={hours} onChoose={setHours} />
      </DialogForm>
    </Dialog>
  );
}
