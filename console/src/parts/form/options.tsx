import type { ComponentChildren } from 'preact';
import { words } from '../messages.ts';
import type { Listbox } from './listbox.ts';

interface OptionsProps {
  readonly of: Listbox;
  readonly class?: string;
  /** Below the input, where there is nothing else. */
  readonly inPlace?: boolean | undefined;
  readonly label: string | undefined;
  readonly children: ComponentChildren;
}

/** What a combobox offers, while it is open. */
export function Options({ of: { list, id }, class: more = '', inPlace, label, children }: OptionsProps) {
  return (
    <div
      ref={list}
      id={id}
      class={`options ${more}`}
      popover={inPlace ? undefined : 'manual'}
      role="listbox"
      aria-label={label ?? words.options}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {children}
    </div>
  );
}
