import type { rotateKey } from '@worktrack/contracts/keys/keys';
import type { ApiKey, CreatedApiKey } from '@worktrack/contracts/keys/records';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useSubmit } from '../../parts/busy.ts';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { words as ofSettings } from '../messages.ts';
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
  const { isBusy, error, run } = useSubmit();
  if (made) return <MadeKey made={made} onClose={onClose} />;
  const rotate = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const overlapSeconds = Number(hours) * 3_600;
      setMade(await call<typeof rotateKey>('POST /api/api-keys/:id/rotate', { id, overlapSeconds }));
      void queries.invalidateQueries({ queryKey: ['keys'] });
    });
  };
  return (
    <Dialog title={words.rotateOf({ name })} onClose={onClose}>
      <form class="stack" onSubmit={rotate}>
        <p>{words.rotateText}</p>
        <Overlap label={words.overlap} mostHours={168} hours={hours} onChoose={setHours} />
        <FormFailed what={ofSettings.notChanged} error={error} />
        <FormActions action={words.rotate} isReady={!isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
