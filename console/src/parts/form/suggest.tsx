import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { comboboxAttributes, useListbox } from './listbox.ts';
import { Options } from './options.tsx';

export interface Suggestion {
  readonly value: string;
  readonly text: string;
  readonly icon?: JSX.Element;
  /** The key that does the same. */
  readonly keys?: string;
}

interface SuggestProps {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly suggestions: readonly Suggestion[];
  readonly onChoose: (value: string) => void;
  /** Enter with none of them chosen. */
  readonly onEnter?: (() => void) | undefined;
  /** The focus goes elsewhere. */
  readonly onLeave?: () => void;
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-busy'?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly disabled?: boolean | undefined;
  /** Suggests something before anything is typed, below the input, where there is nothing else. */
  readonly inPlace?: boolean;
}

/** A text with suggestions, none of which need be taken: a combobox, as `Select` is. */
export function Suggest(props: SuggestProps) {
  const { value, onInput, suggestions, onChoose, onEnter, onLeave, inPlace, ...attributes } = props;
  const listbox = useListbox({ onChoose, offered: suggestions.length });
  const { input, id, isOpen } = listbox;
  useEffect(() => {
    if (inPlace) listbox.open();
  }, [inPlace]);
  const isShown = isOpen && suggestions.length > 0;
  return (
    <>
      <input
        {...comboboxAttributes({ ...listbox, isOpen: isShown })}
        {...attributes}
        ref={input}
        class="input"
        value={value}
        onInput={({ currentTarget }) => {
          onInput(currentTarget.value);
          listbox.open();
        }}
        onMouseDown={() => listbox.open()}
        onBlur={onLeave}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.isComposing) return;
          if (!isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
            event.preventDefault();
            listbox.open();
          }
          if (isShown && !inPlace && event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            listbox.close();
          }
          const isOnOne = event.currentTarget.hasAttribute('aria-activedescendant');
          if (event.key === 'Enter' && !isOnOne && onEnter && value.trim()) {
            event.preventDefault();
            listbox.close();
            onEnter();
          }
        }}
      />
      {isOpen && (
        <Options
          of={listbox}
          class={`${inPlace ? 'options-in-place' : ''} ${suggestions.length > 0 ? '' : 'options-none'}`}
          inPlace={inPlace}
          label={attributes['aria-label']}
        >
          {suggestions.map(({ value: each, text, icon, keys }, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div key={each} id={`${id}-${at}`} role="option" data-value={each} aria-keyshortcuts={keys}>
              {icon}
              <span class="menu-label">{text}</span>
              {keys && (
                <span aria-hidden="true">
                  <kbd>{keys}</kbd>
                </span>
              )}
            </div>
          ))}
        </Options>
      )}
    </>
  );
}
