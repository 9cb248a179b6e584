import type { rotateKey } from '@worktrack/contracts/keys/keys';
import type { ApiKey, CreatedApiKey } from '@worktrack/contracts/keys/records';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { Overlap } from '../overlap.tsx';
import { MadeKey } from './made-key.tsx';
import { words } from './messages.ts';

/** Replaces a key by another one that can do the same. The old one goes on for a while, until everybody who uses it has the new one. */
export function RotateKey({
  apiKey: { id, name },
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const [made, setMade] = useState<CreatedApiKey>();
  const [hours, setHours] = useState('24');
  if (made) return <MadeKey made={made} onClose={onClose} />;
  const rotate = async () => {
    const overlapSeconds = Number(hours) * 3_600;
    setMade(await call<typeof rotateKey>('POST /api/api-keys/:id/rotate', { id, overlapSeconds }));
    void queries.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Dialog title={words.rotateOf({ name })} onClose={onClose}>
      <DialogForm action={words.rotate} isReady onSend={rotate} onClose={onClose}>
        <p>{words.rotateText}</p>
        <Overlap label={words.overlap} mostHours={168} hours={hours} onChoose={setHours} />
      </DialogForm>
    </Dialog>
  );
}
