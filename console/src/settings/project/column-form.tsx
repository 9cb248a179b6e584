import type { Board, Column } from '@worktrack/contracts/projects/board';
import { useState } from 'preact/hooks';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { NumberField, TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { StateIcon } from '../../parts/item/item-icons.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { changedIn } from '../changed.ts';
import { words as common } from '../messages.ts';
import { helpOf, ofColumn, ROLES, type Role, toColumn } from './column-roles.ts';
import { changeColumns, given } from './columns.ts';
import { words } from './messages.ts';

interface ColumnFormProps {
  readonly board: Board;
  /** The one being changed; if absent, a new one is created, at the end. */
  readonly column?: Column | undefined;
  readonly onClose: () => void;
}

export function ColumnForm({ board, column, onClose }: ColumnFormProps) {
  const [name, setName] = useState(column?.name ?? '');
  /** Undefined: that of its name. */
  const [role, setRole] = useState<Role | undefined>(column && ofColumn(column));
  const [limit, setLimit] = useState(String(column?.limit ?? ''));
  const save = async () => {
    const fields = { name: name.trim(), limit: limit === '' ? null : Number(limit) };
    const changed = { ...fields, ...(role && { role: toColumn(role) }) };
    if (column) {
      const change = changedIn(changed, column);
      await changeColumns(
        board,
        (columns) => {
          // Others may have deleted it since.
          if (columns.every(({ id }) => id !== column.id)) throw new Error(words.overtaken);
          return columns.map((each) => given(each.id === column.id ? { ...each, ...change } : each));
        },
        () => words.changed({ name: fields.name }),
      );
    } else {
      await changeColumns(
        board,
        (columns) => [...columns.map(given), changed],
        () => words.added({ name: fields.name }),
      );
    }
    onClose();
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={column ? common.editOf({ name: column.name }) : words.newColumn} onClose={onClose}>
      <DialogForm action={column ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={name} name="name" onChange={setName} />
        <SelectField
          label={words.role}
          help={role ? helpOf(role) : words.ofNameHelp}
          value={role}
          options={ROLES.map((each) => [each, words[each], <StateIcon key={each} role={toColumn(each)} />])}
          {...(!column && { none: words.ofName })}
          onChoose={(chosen) => setRole(chosen || undefined)}
        />
        <NumberField
          label={words.limit}
          help={words.limitHelp}
          name="limit"
          min={1}
          max={10_000}
          value={limit}
          onChange={setLimit}
        />
      </DialogForm>
    </Dialog>
  );
}
