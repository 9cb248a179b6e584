import { useId, useRef } from 'preact/hooks';
import { useBusy } from '../busy.ts';
import { useDraft } from './draft.ts';

/**
 * A text that is written to be sent: one that was not stays, to be sent again.
 * @param name of its draft
 * @param failed what to say, before the service's own words, if sending fails
 * @param shown what is shown beside it
 * @param send whether it was sent. It gets what was shown when the text was begun, for another question may have come while an answer was written; if it is
 * sent again, what is shown then
 */
export function useSending<Shown>(
  name: string,
  failed: string,
  shown: Shown,
  send: (text: string, begun: Shown) => Promise<boolean>,
) {
  const field = useId();
  const { text, setText, clear } = useDraft(name);
  const begun = useRef<{ readonly on: Shown }>(undefined);
  const { isBusy, run } = useBusy(failed);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void run(async () => {
      const { on } = begun.current ?? { on: shown };
      begun.current = undefined;
      if (await send(text, on)) clear();
    });
  };
  const onInput = ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) => {
    if (!text) begun.current = { on: shown };
    setText(value);
  };
  return { field, text, onInput, onSubmit, isDisabled: isBusy || !text.trim() };
}
