import { ServiceError } from '../../api/service-error.ts';
import { wordsOf } from '../page/states.tsx';

interface FormFailedProps {
  readonly what: string;
  /** Undefined: nothing was refused. */
  readonly error: unknown;
  /** Those that show what is said of them themselves (faultAt). */
  readonly fields?: readonly string[];
}

/** What was not done, and why, in the service's own words: within the form, whose input stays. */
export function FormFailed({ what, error, fields = [] }: FormFailedProps) {
  const faults = error instanceof ServiceError ? error.details : [];
  const isShown = faults.length > 0 && faults.every(({ path }) => fields.some((field) => isOf(path, field)));
  return (
    <p class="form-failed" role="alert">
      {error !== undefined && (isShown ? what : `${what} ${wordsOf(error)}`)}
    </p>
  );
}

/** What the service says of a field, also of one in a list, or of an entry of it. */
export function faultAt(error: unknown, field: string): string | undefined {
  return error instanceof ServiceError ? error.details.find(({ path }) => isOf(path, field))?.message : undefined;
}

const isOf = (path: string, field: string) => `.${path}.`.includes(`.${field}.`);
