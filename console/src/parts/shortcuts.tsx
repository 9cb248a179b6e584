import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { words } from './messages.ts';

export interface Shortcut {
  /** `j`, `?`, `Alt+ArrowLeft`: named as in KeyboardEvent.key. */
  readonly keys: string;
  readonly label: string;
  /** If absent: handled by a part that has the focus, and only listed in the help. */
  readonly run?: () => void;
}

const groups = signal<readonly (readonly Shortcut[])[]>([]);
const isHelpOpen = signal(false);

/** What keys do while the component is mounted, and what the help says about them. Keys typed into a field are not shortcuts. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  // Before the next event: a key pressed as soon as the component is visible is not lost.
  useLayoutEffect(() => {
    groups.value = [...groups.value, shortcuts];
    return () => {
      groups.value = groups.value.filter((group) => group !== shortcuts);
    };
  }, [shortcuts]);
}

export function openHelp(): void {
  isHelpOpen.value = true;
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || isWriting(event.target)) return;
  if (document.querySelector('dialog:modal')) return;
  const keys = event.altKey ? `Alt+${event.key}` : event.key;
  const found = keys === '?' ? { run: openHelp } : groups.value.flat().findLast((shortcut) => shortcut.keys === keys);
  if (!found?.run) return;
  event.preventDefault();
  found.run();
});

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function ShortcutHelp() {
  if (!isHelpOpen.value) return null;
  const all = [...groups.value.flat(), { keys: '?', label: words.thisHelp }];
  return (
    <Dialog
      title={words.keyboard}
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <table class="table">
        <tbody>
          {all.map(({ keys, label }) => (
            <tr key={keys + label}>
              <th scope="row">
                <kbd>{keys.replace('Arrow', '').replace('+', ' + ')}</kbd>
              </th>
              <td>{label}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
