import { useId } from 'preact/hooks';
import { useBusy } from '../busy.ts';
import { useDraft } from './draft.ts';

/**
 * A text that is written to be sent: one that was not stays, to be sent again.
 * @param name of its draft
 * @param failed what to say, before the service's own words, if sending fails
 * @param send whether it was sent
 */
export function useSending(name: string, failed: string, send: (text: string) => Promise<boolean>) {
  const field = useId();
  const { text, setText, clear } = useDraft(name);
  const { isBusy, run } = useBusy(failed);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void run(async () => {
      if (await send(text)) clear();
    });
  };
  return { field, text, setText, onSubmit, isDisabled: isBusy || !text.trim() };
}
