import { words } from '../messages.ts';
import { isHelpOpen, shortcuts } from '../page/shortcuts.ts';
import { Dialog } from './dialog.tsx';

/** What the keys do here. */
export function ShortcutHelp() {
  const all = [...shortcuts(), { keys: 'Ctrl+K', label: words.keysPalette }, { keys: '?', label: words.thisHelp }];
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
