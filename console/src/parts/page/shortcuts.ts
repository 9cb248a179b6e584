import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** `j`, `?`, `Alt+ArrowLeft`: named as in KeyboardEvent.key. */
  readonly keys: string;
  readonly label: string;
  /** If absent: handled by a part that has the focus, and only listed in the help. */
  readonly run?: () => void;
}

const STEPPING = ['j', 'k'];

/** Of each component that has some, those of its last drawing. */
const groups = signal<readonly { readonly current: readonly Shortcut[] }[]>([]);
/** What keys do now, what counts most at the end. */
export const shortcuts = (): readonly Shortcut[] => groups.value.flatMap(({ current }) => current);
export const isHelpOpen = signal(false);

/** What keys do while the component is mounted, and what the help says about them. Keys typed into a field are not shortcuts. */
export function useShortcuts(own: readonly Shortcut[]): void {
  const latest = useRef(own);
  latest.current = own;
  // Before the next event: a key pressed as soon as the component is visible is not lost.
  useLayoutEffect(() => {
    groups.value = [...groups.value, latest];
    return () => {
      groups.value = groups.value.filter((group) => group !== latest);
    };
  }, []);
}

export function openHelp(): void {
  isHelpOpen.value = true;
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || isWriting(event.target)) return;
  if (document.querySelector('dialog:modal')) return;
  const keys = event.altKey ? `Alt+${event.key}` : event.key;
  const found = keys === '?' ? { run: openHelp } : shortcuts().findLast((shortcut) => shortcut.keys === keys);
  if (!found?.run) return;
  event.preventDefault();
  // A key that is held steps on, and does nothing twice: what it was meant for is gone after the first time.
  if (!event.repeat || STEPPING.includes(keys)) found.run();
});

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
