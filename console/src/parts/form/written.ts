import type { TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { draftOf, dropDraft, keepDraft } from './draft.ts';

/**
 * What is written in a field stays until it takes effect, which is once it is valid and left or entered, whatever others change meanwhile.
 * @param onWritten false: it has not taken effect. It stays unless others have changed the value, and is tried again when the field is next left.
 * @param draft where it is kept until then, over a reload
 */
export function useWritten(value: string, onWritten: (text: string) => unknown, draft = '') {
  const [text, setText] = useState<string>();
  const [kept, setKept] = useState(() => draftOf(draft));
  const isKept = text === undefined && kept?.base === value;
  // Once: a field is also left after it was changed.
  const isDue = useRef(kept !== undefined);
  const begun = useRef<string>(undefined);
  const drop = () => {
    isDue.current = false;
    begun.current = undefined;
    setText(undefined);
    setKept(undefined);
    dropDraft(draft);
  };
  const write = (written: string) => {
    isDue.current = true;
    begun.current ??= value;
    setText(written);
    if (draft) keepDraft(draft, written, begun.current);
  };
  const take = async (written: string) => {
    const base = begun.current ?? value;
    if (!isDue.current) return;
    if (written === value || written === base) return drop();
    isDue.current = false;
    begun.current = undefined;
    setText(undefined);
    const isTaken = (await onWritten(written)) !== false;
    // Written since.
    if (isDue.current) return;
    if (isTaken) return drop();
    isDue.current = true;
    setKept({ text: written, base });
  };
  const shown = text ?? (isKept ? kept.text : value);
  return {
    shown,
    isKept,
    write,
    take,
    field: {
      value: shown,
      onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => write(currentTarget.value),
      onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        if (currentTarget.validity.valid) void take(currentTarget.value);
      },
      // Without a change if it is what it was: then it follows others again.
      onBlur: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        if (currentTarget.validity.valid) return void take(currentTarget.value);
        if (currentTarget.type !== 'date') return;
        drop();
        // A day without a year is no value, which drawing would not replace.
        currentTarget.value = value;
      },
    },
  };
}
