import { words as parts } from '../parts/messages.ts';
import { words as common } from './messages.ts';

interface EditDeleteProps {
  /** Of what is edited or deleted, for who hears the buttons alone. */
  readonly name: string;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

export function EditDelete({ name, onEdit, onDelete }: EditDeleteProps) {
  return (
    <div class="row">
      <button type="button" class="button" aria-label={common.editOf({ name })} onClick={onEdit}>
        {parts.edit}
      </button>
      <button type="button" class="button button-bad" aria-label={common.deleteOf({ name })} onClick={onDelete}>
        {parts.delete}
      </button>
    </div>
  );
}
