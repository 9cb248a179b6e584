import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';

/** What is written in a field stays until it takes effect, which is once it is valid and left or entered, whatever others change meanwhile. */
export function useWritten(value: string, onWritten: (text: string) => void) {
  const [text, setText] = useState<string>();
  return {
    field: {
      value: text ?? value,
      onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => setText(currentTarget.value),
      onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        if (!currentTarget.validity.valid) return;
        setText(undefined);
        if (currentTarget.value !== value) onWritten(currentTarget.value);
      },
      // Without a change if it is what it was: then it follows others again.
      onBlur: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        if (currentTarget.validity.valid) setText(undefined);
      },
    },
    drop: () => setText(undefined),
  };
}
