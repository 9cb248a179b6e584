import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  /** Renders the control with the id that its label refers to, and the `aria-describedby` of its help. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
  }) => ComponentChildren;
}

/** A form control with its label. */
export function Field({ label, help, children }: FieldProps) {
  const id = useId();
  const helpId = `${id}-help`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': help === undefined ? undefined : helpId })}
      {help !== undefined && (
        <p id={helpId} class="field-help">
          {help}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Pick<FieldProps, 'label' | 'help'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** `false`: it holds no words of a language. */
  readonly spellcheck?: boolean;
}

/** One line of text that the browser has nothing to suggest for. */
export function TextField({ label, help, value, onChange, spellcheck }: TextFieldProps) {
  return (
    <Field label={label} help={help}>
      {(control) => (
        <input
          {...control}
          class="input"
          autocomplete="off"
          spellcheck={spellcheck}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}
