import { useState } from 'preact/hooks';
import { BOUNDS } from './bounds.ts';

interface DateFieldProps {
  readonly id?: string;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: true | undefined;
  readonly readOnly?: boolean;
  /** `''`: none. */
  readonly value: string;
  /** Told of whole dates only: a browser reports each digit of a year, so the year 2 on the way to 2026. */
  readonly onChange: (date: string) => void;
}

/** A date that takes effect once it is written to its end. What is written stays until then, whatever others change meanwhile; what is left unfinished is dropped. */
export function DateField({ value, onChange, class: className = 'input', ...control }: DateFieldProps) {
  const [text, setText] = useState<string>();
  return (
    <input
      {...control}
      class={className}
      type="date"
      {...BOUNDS.date}
      value={text ?? value}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onChange={({ currentTarget }) => {
        if (!currentTarget.validity.valid) return;
        setText(undefined);
        if (currentTarget.value !== value) onChange(currentTarget.value);
      }}
      onBlur={({ currentTarget }) => {
        if (currentTarget.validity.valid) return;
        setText(undefined);
        // A day without a year is no value, which drawing would not replace.
        currentTarget.value = value;
      }}
    />
  );
}
