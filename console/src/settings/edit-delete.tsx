import { Button } from '../parts/button.tsx';
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
      <Button text={parts.edit} aria-label={common.editOf({ name })} onClick={onEdit} />
      <Button look="bad" text={parts.delete} aria-label={common.deleteOf({ name })} onClick={onDelete} />
    </div>
  );
}
