import type { deleteFeedback, eraseSender } from '@worktrack/contracts/feedback/erasure';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { attempt } from '../parts/busy.ts';
import { Check } from '../parts/form/check.tsx';
import { Confirm } from '../parts/popup/dialog.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { identity, leads } from '../session.ts';
import { readAnew } from './feedback.ts';
import { words } from './messages.ts';

interface EraseProps {
  readonly item: FeedbackItem;
  readonly onClose: () => void;
}

/** Erases a submission, or whatever its sender has submitted to the organization. */
export function Erase({ item: { id, email }, onClose }: EraseProps) {
  const [isAll, setAll] = useState(false);
  const mayAll = leads.value && identity.value?.projects === null;
  const erase = () =>
    attempt(words.notChanged, async () => {
      if (isAll && email) {
        const { erased } = await call<typeof eraseSender>('POST /api/feedback/erase', { email });
        void queries.invalidateQueries({ queryKey: ['feedback'] });
        tell(words.erasedMany({ n: erased }));
      } else {
        await call<typeof deleteFeedback>('DELETE /api/feedback/items/:id', { id });
        void readAnew(id);
        tell(words.erasedNow);
      }
    });
  return (
    <Confirm
      title={words.eraseTitle}
      text={
        <>
          {words.eraseText}
          {email && mayAll && <Check label={words.eraseAll({ email })} checked={isAll} onChange={setAll} />}
        </>
      }
      action={words.erase}
      onConfirm={() => void erase()}
      onClose={onClose}
    />
  );
}
