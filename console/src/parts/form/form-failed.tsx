import { type ComponentChildren, createContext } from 'preact';
import { ServiceError } from '../../api/service-error.ts';
import { Refused, said } from '../page/states.tsx';

interface FormFailedProps {
  readonly what: string;
  /** Undefined: nothing was refused. */
  readonly error: unknown;
  /** Those that show what is said of them themselves (faultAt). */
  readonly fields?: readonly string[];
}

/** What was not done, and why, within the form, whose input stays. */
export function FormFailed({ what, error, fields = [] }: FormFailedProps) {
  const faults = error instanceof ServiceError ? error.details : [];
  const isShown = faults.length > 0 && faults.every(({ path }) => fields.some((field) => isOf(path, field)));
  return (
    <p class="form-failed" role="alert">
      {error !== undefined && what}
      {error !== undefined && !isShown && (
        <>
          {' '}
          <Refused {...said(error)} />
        </>
      )}
    </p>
  );
}

/** What the service says of a field, also of one in a list, or of an entry of it. */
export function faultAt(error: unknown, field: string): ComponentChildren | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const fault = error.details.find(({ path }) => isOf(path, field))?.message;
  if (fault === undefined) return undefined;
  const { text = fault, isSufficient = true } = error.sentence(fault) ?? {};
  return <Refused text={text} original={isSufficient ? '' : fault} />;
}

/** What was refused of the form that a field is in (dialog-form.tsx). */
export const Refusal = createContext<unknown>(undefined);

const isOf = (path: string, field: string) => `.${path}.`.includes(`.${field}.`);
