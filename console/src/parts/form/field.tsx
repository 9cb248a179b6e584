import type { ComponentChildren, ComponentProps } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { faultAt, Refusal } from './form-failed.tsx';

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  /** As the service calls it: of what was refused, it shows what is said of it. */
  readonly name?: string | undefined;
  /** What else is wrong with it. */
  readonly error?: ComponentChildren | undefined;
  /** Renders the control with the id that its label refers to, and what describes it. */
  readonly children: (control: {
    readonly id: string;
    readonly name: string | undefined;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': true | undefined;
  }) => ComponentChildren;
}

/** A form control with its label. */
export function Field({ label, help, name: field, error: given, children }: FieldProps) {
  const id = useId();
  const refused = useContext(Refusal);
  const error = given ?? (field === undefined ? undefined : faultAt(refused, field));
  const texts = [
    { name: 'error', text: error },
    { name: 'help', text: help },
  ].filter(({ text }) => text !== undefined);
  const describedBy = texts.map(({ name }) => `${id}-${name}`).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name: field,
        'aria-describedby': describedBy,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {texts.map(({ name, text }) => (
        <p key={name} id={`${id}-${name}`} class={`field-${name}`}>
          {text}
        </p>
      ))}
    </div>
  );
}

interface Written extends Pick<FieldProps, 'label' | 'help' | 'name' | 'error'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}
/** Besides, what the browser is to know of it. */
type TextFieldProps = Written &
  Pick<
    ComponentProps<'input'>,
    'autocomplete' | 'class' | 'max' | 'maxLength' | 'min' | 'required' | 'spellcheck' | 'step'
  > & {
    readonly type?: 'email' | 'number' | 'url';
  };
type TextAreaProps = Written &
  Pick<ComponentProps<'textarea'>, 'autocomplete' | 'autofocus' | 'maxLength' | 'rows' | 'spellcheck'>;

/** One line of text that the browser has nothing to suggest for. */
export function TextField({ label, help, name, error, onChange, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, help, name, error }}>
      {(control) => (
        // Preact's types are one for each type of input, and which it is is not known here.
        <input
          {...control}
          class="input"
          autocomplete="off"
          {...(input as ComponentProps<'input'>)}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function NumberField(props: TextFieldProps) {
  return <TextField class="input input-inline" type="number" autocomplete={undefined} {...props} />;
}

export function TextArea({ label, help, name, error, onChange, ...textarea }: TextAreaProps) {
  return (
    <Field {...{ label, help, name, error }}>
      {(control) => (
        <textarea
          {...control}
          class="input"
          {...textarea}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}
