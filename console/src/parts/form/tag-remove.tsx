import { Icon } from '../icon.tsx';
import { closeIcon } from '../icons.ts';
import { words } from '../messages.ts';

interface TagRemoveProps {
  readonly what: string;
  readonly onClick: () => void;
}

/** At the end of a tag, or beside one: takes it away. */
export function TagRemove({ what, onClick }: TagRemoveProps) {
  return (
    <button type="button" class="tag-remove" aria-label={words.remove({ what })} onClick={onClick}>
      <Icon of={closeIcon} />
    </button>
  );
}
