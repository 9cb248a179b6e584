import './select.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { folded, has } from '../../language/has.ts';
import { Icon } from '../icon.tsx';
import { checkIcon, choiceIcon } from '../icons.ts';
import { words } from '../messages.ts';
import { Field } from './field.tsx';
import { comboboxAttributes, useListbox } from './listbox.ts';
import { Options } from './options.tsx';

interface SelectProps<Value extends string> {
  readonly value: Value | undefined;
  readonly options: readonly (readonly [value: Value, name: string, icon?: JSX.Element])[];
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

/** A choice among several: a combobox, in which typing finds an option by any part of its name. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, options, none, onChoose, inline, disabled, ...attributes } = props;
  const [typed, setTyped] = useState('');
  const all = none === undefined ? options : [['' as Value, none] as const, ...options];
  const found = all.filter(([, each]) => has(each, typed));
  // What begins so comes first, since Enter takes it.
  const begins = ([, each]: (typeof all)[number]) => folded(each).startsWith(folded(typed));
  const offered = typed === '' ? all : [...found.filter(begins), ...found.filter((each) => !begins(each))];
  const listbox = useListbox({
    value: value ?? '',
    typed,
    offered: offered.length,
    onChoose: (chosen) => {
      setTyped('');
      if (chosen !== (value ?? '')) onChoose(chosen as Value | '');
    },
  });
  const { input, id, isOpen } = listbox;
  const [, name = '', icon] = all.find(([each]) => each === (value ?? '')) ?? [];
  const open = () => {
    if (disabled || isOpen) return;
    setTyped('');
    listbox.open();
    input.current?.select();
  };
  const shown = isOpen && typed !== '' ? typed : name;
  return (
    <span class={`select ${inline ? 'select-inline' : ''} ${icon ? 'select-with-icon' : ''}`}>
      {icon && <span class="select-icon">{icon}</span>}
      <input
        {...attributes}
        {...comboboxAttributes(listbox)}
        ref={input}
        class={inline ? 'input input-inline' : 'input'}
        // Of no form: two fields would keep Enter in the other from submitting it.
        form=""
        // Where the browser cannot fit a field to its content.
        size={Math.max(4, shown.length)}
        disabled={disabled}
        // Choosing among a few needs no keyboard on the screen.
        inputMode={all.length > 8 ? 'text' : 'none'}
        value={shown}
        onMouseDown={open}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          listbox.open();
        }}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.isComposing) return;
          if (!isOpen && ['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(event.key)) {
            event.preventDefault();
            event.stopPropagation();
            open();
          }
          if (isOpen && event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            setTyped('');
            listbox.close();
          }
        }}
      />
      <Icon of={choiceIcon} />
      {isOpen && (
        <Options of={listbox} label={attributes['aria-label']}>
          {offered.map(([each, text, drawn]) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
            <div key={each} id={`${id}-${all.findIndex(([other]) => other === each)}`} role="option" data-value={each}>
              {drawn}
              <span class="menu-label">{text}</span>
              {each === (value ?? '') && <Icon of={checkIcon} />}
            </div>
          ))}
          {offered.length === 0 && <div class="options-empty">{words.nothingFound}</div>}
        </Options>
      )}
    </span>
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
