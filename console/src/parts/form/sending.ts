import { useId, useState } from 'preact/hooks';
import { useBusy } from '../busy.ts';
import { sinceSent } from './draft.ts';

/**
 * A text that is written to be sent: one that was not stays, to be sent again.
 * @param failed what to say, before the service's own words, if sending fails
 * @param send whether it was sent
 */
export function useSending(failed: string, send: (text: string) => Promise<boolean>) {
  const field = useId();
  const [text, setText] = useState('');
  const { isBusy, run } = useBusy(failed);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void run(async () => {
      if (await send(text)) setText((now) => sinceSent(now, text));
    });
  };
  return { field, text, setText, onSubmit, isDisabled: isBusy || !text.trim() };
}
