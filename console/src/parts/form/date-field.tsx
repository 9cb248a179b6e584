import { BOUNDS } from './bounds.ts';
import { useWritten } from './written.ts';

interface DateFieldProps {
  readonly id?: string;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: true | undefined;
  /** `''`: none. */
  readonly value: string;
  /** Told of whole dates only: a browser reports each digit of a year, so the year 2 on the way to 2026. */
  readonly onChange: (date: string) => void;
}

/** A date that takes effect once it is written to its end; what is left unfinished is dropped. */
export function DateField({ value, onChange, class: className = 'input', ...control }: DateFieldProps) {
  const { field } = useWritten(value, onChange);
  return <input {...control} class={className} type="date" {...BOUNDS.date} {...field} />;
}
