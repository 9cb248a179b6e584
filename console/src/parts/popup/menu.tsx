import './menu.css';
import type { IconNode } from 'lucide';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { folded } from '../../language/has.ts';
import { Icon } from '../icon.tsx';
import { checkIcon } from '../icons.ts';
import { showAt } from './popover.ts';

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  /** Before the label: an icon, or what else stands for it. */
  readonly icon?: IconNode | JSX.Element;
  /** The key that does the same. */
  readonly keys?: string;
  /** The currently chosen one, of several that exclude each other. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  /** It destroys something. */
  readonly isBad?: boolean;
  /** Those of one group are beside each other, and set off from others; the name is shown above them unless it is empty. */
  readonly group?: string;
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

type End = 'first' | 'last';

/** After a pause, a letter begins another name. */
const TYPING_MS = 1_000;

/** A button that opens a menu (the pattern of the ARIA Authoring Practices): arrows, Home, End and what a name begins with choose, Escape closes. */
export function Menu({
  label,
  items,
  children,
  tabIndex,
  class: className = 'button button-quiet button-icon',
}: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [openAt, setOpenAt] = useState<End>();
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        tabIndex={tabIndex}
        class={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={openAt !== undefined}
        aria-controls={openAt && id}
        onClick={() => setOpenAt(openAt ? undefined : 'first')}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          if (event.altKey) return;
          event.preventDefault();
          event.stopPropagation();
          setOpenAt(event.key === 'ArrowDown' ? 'first' : 'last');
        }}
      >
        {children}
      </button>
      {openAt && (
        <MenuList
          id={id}
          label={label}
          items={items}
          anchor={button}
          startAt={openAt}
          onClose={() => setOpenAt(undefined)}
        />
      )}
    </>
  );
}

interface MenuListProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the menu is shown at, and where the focus returns to. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly startAt?: End;
  readonly onClose: () => void;
}

/** The menu itself, for as long as it is rendered: there are as many buttons as cards, and one menu. */
export function MenuList({ id, label, items, anchor, startAt = 'first', onClose }: MenuListProps) {
  const menu = useRef<HTMLDivElement>(null);
  const typing = useRef({ text: '', endsAtMs: 0 });
  const all = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
  useLayoutEffect(() => {
    if (!menu.current || !anchor.current) return;
    showAt(menu.current, anchor.current);
    const { activeElement } = document;
    if (activeElement !== menu.current && menu.current.contains(activeElement)) return;
    const checked = all().find((item) => item.getAttribute('aria-checked') === 'true');
    // Until there is one, no key means anything to what is below.
    (checked ?? all().at(startAt === 'first' ? 0 : -1) ?? menu.current).focus();
  }, [items.length]);

  const close = () => {
    menu.current?.hidePopover();
    onClose();
    anchor.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const found = all();
    const at = found.indexOf(document.activeElement as HTMLElement);
    const { text, endsAtMs } = typing.current;
    const before = event.timeStamp < endsAtMs ? text : '';
    // A space belongs to a name once that has begun.
    const letter = event.key.length === 1 && (before || event.key !== ' ') ? event.key : '';
    const typed = before + letter;
    typing.current = { text: typed, endsAtMs: letter ? event.timeStamp + TYPING_MS : 0 };
    const target = {
      ArrowDown: found[(at + 1) % found.length],
      ArrowUp: found.at((at - 1) % found.length),
      Home: found[0],
      End: found.at(-1),
    }[event.key];
    const next = (name: string, from: number) =>
      [...found.slice(from), ...found].find((item) => textOf(item).startsWith(folded(name)));
    // The same letter again leads on to the next one.
    const named = letter && ((before && next(typed, at)) || next(letter, at + 1));
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else (target ?? (named || undefined))?.focus();
    if (event.key !== 'Tab' && event.key !== 'Enter' && (letter || event.key !== ' ')) event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={menu}
      id={id}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      // The browser says it later: of a menu that is gone already, when the next one may be open.
      onToggle={({ newState, currentTarget }) => newState === 'closed' && currentTarget.isConnected && onClose()}
      onKeyDown={onKeyDown}
      // Firefox presses a button when the space bar is released.
      onKeyUp={(event) => event.key === ' ' && typing.current.text && event.preventDefault()}
    >
      {groupsOf(items).map(({ name, members }, at) => {
        const entries = members.map((item) => <Entry key={item.label} item={item} onClose={close} />);
        if (name === undefined) return entries;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a menu
          <div key={`${at} ${name}`} role="group" aria-label={name || undefined} class="menu-group">
            {name && (
              <div class="menu-heading" aria-hidden="true">
                {name}
              </div>
            )}
            {entries}
          </div>
        );
      })}
    </div>
  );
}

function Entry({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  const { label, run, icon, keys, checked, disabled, isBad } = item;
  return (
    <button
      type="button"
      class={isBad ? 'menu-bad' : undefined}
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
      aria-disabled={disabled}
      aria-keyshortcuts={keys}
      tabIndex={-1}
      onClick={() => {
        if (disabled) return;
        onClose();
        run();
      }}
    >
      {icon && ('type' in icon ? icon : <Icon of={icon} />)}
      <span class="menu-label">{label}</span>
      {keys && (
        <span aria-hidden="true">
          <kbd>{keys}</kbd>
        </span>
      )}
      {checked && <Icon of={checkIcon} />}
    </button>
  );
}

function groupsOf(items: readonly MenuItem[]) {
  const groups: { name: string | undefined; members: MenuItem[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && last.name === item.group) last.members.push(item);
    else groups.push({ name: item.group, members: [item] });
  }
  return groups;
}

function textOf(item: HTMLElement): string {
  return folded(item.querySelector('.menu-label')?.textContent ?? '');
}
