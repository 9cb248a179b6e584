import { useState } from 'preact/hooks';
import { Button } from '../button.tsx';
import { words } from '../messages.ts';

const SAID_MS = 2_000;

/** A button that copies a text to the clipboard, and says that it has, or shows the text. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return setRefused(true);
    }
    setDone(true);
    setTimeout(() => setDone(false), SAID_MS);
  };
  return (
    <div>
      <Button text={label ?? words.copy} onClick={() => void copy()} />{' '}
      <span role="status" class="quiet">
        {isDone ? words.copied : isRefused && `${words.notCopied} ${text}`}
      </span>
    </div>
  );
}
