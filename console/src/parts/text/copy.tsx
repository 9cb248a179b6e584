import { useState } from 'preact/hooks';
import { words } from '../messages.ts';

const SAID_MS = 2_000;

/** A button that copies a text to the clipboard, and says that it has. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SAID_MS);
  };
  return (
    <div>
      <button type="button" class="button" onClick={() => void copy()}>
        {label ?? words.copy}
      </button>{' '}
      <span role="status" class="quiet">
        {isDone && words.copied}
      </span>
    </div>
  );
}
