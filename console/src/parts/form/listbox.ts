import Combobox from '@github/combobox-nav';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showAt } from '../popup/popover.ts';

interface ListboxOptions {
  /** With the `data-value` of the option. */
  readonly onChoose: (value: string) => void;
  /** The option that one begins at. */
  readonly value?: string | undefined;
  /** What was typed, if that decides what is offered: one begins at the first match. */
  readonly typed?: string;
  /** How many are offered, if they come later. */
  readonly offered?: number;
}

export interface Listbox {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly id: string;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
}

/**
 * The list of a combobox (the pattern of the ARIA Authoring Practices), whose input keeps the focus. Keys, names and states are those of @github/combobox-nav.
 * GitHub's own pages use it, it supports input methods (Enter while Japanese is being composed chooses nothing), and it has 1 kB. Of the alternatives, Zag's
 * needs 20 kB, and Downshift React.
 */
export function useListbox({ onChoose, value, typed, offered }: ListboxOptions): Listbox {
  const isNarrowed = typed !== undefined;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const keys = useRef<Combobox>(undefined);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const close = () => setOpen(false);

  useLayoutEffect(() => {
    const [field, options] = [input.current, list.current];
    if (!isOpen || !field || !options) return;
    const nav = new Combobox(field, options, { tabInsertsSuggestions: false });
    keys.current = nav;
    const onCommit = ({ target }: Event) => {
      setOpen(false);
      choose.current((target as HTMLElement).dataset.value ?? '');
    };
    const follow = (event?: Event) => {
      if (!(event?.target instanceof Node && options.contains(event.target))) show(options, field);
    };
    nav.start();
    // At each input it forgets which option one is at. What that input offers may be drawn by then, and its first match chosen: between two listeners of
    // one event the browser runs what waits for promises.
    if (isNarrowed) field.removeEventListener('input', nav.inputHandler);
    follow();
    const current = [...options.querySelectorAll<HTMLElement>('[role=option]')].find(
      ({ dataset }) => dataset.value === value,
    );
    if (current) {
      current.setAttribute('aria-selected', 'true');
      field.setAttribute('aria-activedescendant', current.id);
      current.scrollIntoView({ block: 'nearest' });
    }
    options.addEventListener('combobox-commit', onCommit);
    addEventListener('scroll', follow, { capture: true, passive: true });
    addEventListener('resize', follow);
    return () => {
      // Not `destroy`, which would take away what it is to a screen reader.
      nav.stop();
      keys.current = undefined;
      options.removeEventListener('combobox-commit', onCommit);
      removeEventListener('scroll', follow, { capture: true });
      removeEventListener('resize', follow);
    };
  }, [isOpen]);

  // Once what is offered has been drawn.
  useLayoutEffect(() => {
    if (!typed) return;
    keys.current?.clearSelection();
    keys.current?.navigate(1);
  }, [typed]);

  // Typed before what it finds was there.
  useLayoutEffect(() => {
    if (typed && !list.current?.querySelector('[aria-selected=true]')) keys.current?.navigate(1);
  }, [offered]);

  // What is drawn anew may have moved the input: the list covered it, and a press on it chose an option. The option that one is at may have gone, or be elsewhere
  // in the list, which names it by its place.
  useLayoutEffect(() => {
    if (!isOpen || !list.current || !input.current) return;
    show(list.current, input.current);
    const at = list.current.querySelector('[aria-selected=true]');
    if (at) input.current.setAttribute('aria-activedescendant', at.id);
    else input.current.removeAttribute('aria-activedescendant');
  });

  // A press elsewhere takes the focus away.
  useEffect(() => {
    const field = input.current;
    field?.addEventListener('blur', close);
    return () => field?.removeEventListener('blur', close);
  }, []);
  return { input, list, id, isOpen, open: () => setOpen(true), close };
}

/** Unless it stands below the input anyway. */
function show(options: HTMLElement, field: HTMLElement): void {
  if (options.popover !== null) showAt(options, field);
}

/** What the input of a combobox is to a screen reader, before the library says so itself. */
export function comboboxAttributes({ id, isOpen }: Listbox) {
  return {
    role: 'combobox' as const,
    'aria-haspopup': 'listbox' as const,
    'aria-autocomplete': 'list' as const,
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    autocomplete: 'off' as const,
    spellcheck: false,
  };
}
