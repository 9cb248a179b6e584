import './menu.css';
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  /** The currently chosen one, of several that exclude each other. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
}

interface MenuProps {
  /** What a screen reader calls the button. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the button shows. */
  readonly children: ComponentChildren;
  readonly class?: string;
  /** -1: inside a part in which arrows lead from one to the next. */
  readonly tabIndex?: number;
}

const GAP_PX = 4;

/** A button that opens a menu (the pattern of the ARIA Authoring Practices): arrows, Home, End and first letters choose, Escape closes. */
export function Menu({
  label,
  items,
  children,
  tabIndex,
  class: className = 'button button-quiet button-icon',
}: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();

  const all = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
  const open = (at: 'first' | 'last') => {
    const anchor = button.current?.getBoundingClientRect();
    const shown = menu.current;
    if (!anchor || !shown) return;
    shown.showPopover();
    const { width, height } = shown.getBoundingClientRect();
    const below = anchor.bottom + GAP_PX;
    const top = below + height > innerHeight ? Math.max(GAP_PX, anchor.top - GAP_PX - height) : below;
    shown.style.top = `${top}px`;
    // Also when a window is made narrower meanwhile.
    shown.style.left = `max(${GAP_PX}px, min(${anchor.left}px, 100vw - ${width + GAP_PX}px))`;
    const checked = all().find((item) => item.getAttribute('aria-checked') === 'true');
    (checked ?? all().at(at === 'first' ? 0 : -1))?.focus();
  };
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const found = all();
    const at = found.indexOf(document.activeElement as HTMLElement);
    const letter = event.key.length === 1 ? event.key.toLocaleLowerCase() : undefined;
    const target = {
      ArrowDown: found[(at + 1) % found.length],
      ArrowUp: found.at((at - 1) % found.length),
      Home: found[0],
      End: found.at(-1),
    }[event.key];
    const named = letter && [...found.slice(at + 1), ...found].find((item) => textOf(item).startsWith(letter));
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else (target ?? (named || undefined))?.focus();
    if (event.key !== 'Tab' && event.key !== 'Enter' && event.key !== ' ') event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        tabIndex={tabIndex}
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => (isOpen ? close() : open('first'))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          if (event.altKey) return;
          event.preventDefault();
          event.stopPropagation();
          open(event.key === 'ArrowDown' ? 'first' : 'last');
        }}
      >
        {children}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={move}
      >
        {items.map(({ label: text, run, checked, disabled }) => (
          <button
            key={text}
            type="button"
            {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
            aria-disabled={disabled}
            tabIndex={-1}
            onClick={() => {
              if (disabled) return;
              close();
              run();
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

function textOf(item: HTMLElement): string {
  return (item.textContent ?? '').toLocaleLowerCase();
}
