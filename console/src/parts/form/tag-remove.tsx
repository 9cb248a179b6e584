import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { closeIcon } from '../icons.ts';
import { words } from '../messages.ts';

interface TagRemoveProps {
  readonly what: string;
  readonly onClick: () => void;
}

/** At the end of a tag, or beside one: takes it away. */
export function TagRemove({ what, onClick }: TagRemoveProps) {
  const button = useRef<HTMLButtonElement>(null);
  // It goes with what it takes away: the focus is on what follows then, such as the field in which another is added.
  useLayoutEffect(
    () => () => {
      if (button.current !== document.activeElement) return;
      const gone = button.current?.closest('ul') ?? button.current?.parentElement;
      const stops = document.querySelectorAll<HTMLElement>(':is(input, button):not(:disabled)');
      const isAfter = (stop: Node) => gone?.compareDocumentPosition(stop) === Node.DOCUMENT_POSITION_FOLLOWING;
      [...stops].find(isAfter)?.focus();
    },
    [],
  );
  return (
    <button ref={button} type="button" class="tag-remove" aria-label={words.remove({ what })} onClick={onClick}>
      <Icon of={closeIcon} />
    </button>
  );
}
