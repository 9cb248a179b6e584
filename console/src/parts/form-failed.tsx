import { wordsOf } from './states.tsx';

interface FormFailedProps {
  readonly what: string;
  /** Undefined: nothing was refused. */
  readonly error: unknown;
}

/** What was not done, and why, in the service's own words: within the form, whose input stays. */
export function FormFailed({ what, error }: FormFailedProps) {
  return (
    <p class="form-failed" role="alert">
      {error !== undefined && `${what} ${wordsOf(error)}`}
    </p>
  );
}
