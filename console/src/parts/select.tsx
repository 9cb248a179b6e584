import { Field } from './field.tsx';

interface SelectProps<Value extends string> {
  readonly value: Value | undefined;
  readonly options: readonly (readonly [value: Value, name: string])[];
  /** The name of having chosen nothing, which comes first. Its value is empty. */
  readonly none?: string;
  readonly onChoose: (value: Value | '') => void;
  /** Among other things in a row. */
  readonly inline?: boolean;
  readonly disabled?: boolean;
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
}

/** A choice among a few. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, options, none, onChoose, inline, ...attributes } = props;
  return (
    <select
      {...attributes}
      class={inline ? 'input input-inline' : 'input'}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as Value | '')}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface SelectFieldProps<Value extends string> extends SelectProps<Value> {
  readonly label: string;
  readonly help?: string | undefined;
}

/** The same with a label above it. */
export function SelectField<Value extends string>({ label, help, ...select }: SelectFieldProps<Value>) {
  return (
    <Field label={label} help={help}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  );
}
