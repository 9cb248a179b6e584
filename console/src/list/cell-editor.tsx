import type { Board } from '@worktrack/contracts/projects/board';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { labelItems } from '../change/many.ts';
import { moveItems } from '../change/move.ts';
import { type Changes, changeItem } from '../change/save.ts';
import { BOUNDS } from '../parts/form/bounds.ts';
import { keepDraft } from '../parts/form/draft.ts';
import { changeTo, choicesOf } from '../parts/item/choices.tsx';
import { StateIcon } from '../parts/item/item-icons.tsx';
import { LabelDot } from '../parts/item/label.tsx';
import { useLabels } from '../parts/item/labels.ts';
import { asStored, INPUTS, isWritten, type WrittenField } from '../parts/item/plain-fields.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { useActiveUsers } from '../parts/people/people.ts';
import { type MenuItem, MenuList } from '../parts/popup/menu.tsx';
import { words as fieldWords } from '../views/filters/messages.ts';
import { words as selectionWords } from '../views/selection/messages.ts';
import { type CellName, nameOf, STANDARD } from './columns.ts';
import { words } from './messages.ts';

const EDITED: readonly CellName[] = ['title', ...STANDARD];
/** What is changed in its cell. */
export type Edited = 'title' | (typeof STANDARD)[number];
export const isEdited = (column: CellName): column is Edited => EDITED.includes(column);

interface EditorProps {
  readonly card: Card;
  readonly board: Board | undefined;
  readonly column: Edited;
  /** The cell, to which the focus returns. */
  readonly cell: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** Changes a field in its cell: a menu of its values, or what is written. */
export function CellEditor(props: EditorProps) {
  const { column } = props;
  // As it was when the writing began: what others change meanwhile is not overwritten unseen.
  const [card] = useState(props.card);
  const save = async (text: string, was: string, changes: Changes) => {
    if (!(await changeItem(card, changes))) keepDraft(`${column}.${card.id}`, text, was);
  };
  switch (column) {
    case 'title':
      return <Written {...props} value={card.title} onSave={(title) => title && save(title, card.title, { title })} />;
    default:
      return isWritten(column) ? (
        <Written
          {...props}
          type={INPUTS[column]}
          value={String(card[column] ?? '')}
          onSave={(text) => save(text, String(card[column] ?? ''), { [column]: asStored(column, text) })}
        />
      ) : (
        <Values {...props} column={column} />
      );
  }
}

interface ValuesProps extends EditorProps {
  readonly column: Exclude<Edited, 'title' | WrittenField>;
}

function Values({ card, board, column, cell, onClose }: ValuesProps) {
  const id = useId();
  const items = useValues(card, board, column);
  return (
    <MenuList id={id} label={words.change({ what: nameOf(column) })} items={items} anchor={cell} onClose={onClose} />
  );
}

function useValues(card: Card, board: Board | undefined, column: ValuesProps['column']): MenuItem[] {
  const users = useActiveUsers();
  const labels = useLabels(card.projectId, column === 'labels').data ?? [];
  switch (column) {
    case 'column': {
      const columns = board?.columns ?? [];
      const roleOf = (id: string) => columns.find((each) => each.id === id)?.role;
      return columns.map((each) => ({
        label: each.name,
        icon: <StateIcon role={each.role} />,
        checked: each.id === card.boardColumnId,
        run: () => void moveItems([card], each, roleOf),
      }));
    }
    case 'assignee': {
      const names = users.map(({ name }) => name);
      const isOther = card.assignee !== null && !names.includes(card.assignee);
      return [null, ...(isOther ? [card.assignee] : []), ...names].map((name) => ({
        label: name ?? fieldWords.nobody,
        ...(name !== null && { icon: <Avatar name={name} /> }),
        checked: name === card.assignee,
        run: () => void (name !== card.assignee && changeItem(card, { assignee: name })),
      }));
    }
    case 'labels': {
      const has = (labelId: string) => card.labels.some(({ id }) => id === labelId);
      return [false, true].flatMap((isThere) =>
        labels
          .filter(({ id }) => has(id) === isThere)
          .map((label) => ({
            group: isThere ? selectionWords.removeLabel : selectionWords.addLabel,
            label: label.name,
            icon: <LabelDot colour={label.colour} />,
            run: () => void labelItems([card], isThere ? { remove: label } : { add: label }),
          })),
      );
    }
    default:
      return choicesOf(column).map(([value, label, icon]) => {
        const checked = value === (card[column] ?? '');
        return { label, icon, checked, run: () => void (checked || changeItem(card, changeTo(column, value))) };
      });
  }
}

interface WrittenProps extends Omit<EditorProps, 'card'> {
  readonly type?: 'date' | 'number';
  readonly value: string;
  readonly onSave: (text: string) => unknown;
}

/** What is written is saved by Enter, and when one goes elsewhere. */
function Written({ column, type, value, onSave, onClose }: WrittenProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const isValid = () => input.current?.validity.valid ?? true;
  const latest = useRef(() => {});
  useEffect(() => () => latest.current(), []);
  const done = (isSaved: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    onClose();
    if (isSaved && text.trim() !== value) onSave(text.trim());
  };
  // When others change the item so that its row goes, too.
  latest.current = () => done(true);
  return (
    <input
      ref={input}
      class="input list-input"
      aria-label={nameOf(column)}
      {...(type ? { type, ...BOUNDS[type] } : { maxLength: 500 })}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => done(isValid())}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.isComposing) return;
        if (event.key === 'Escape') done(false);
        if (event.key === 'Enter') done(isValid());
      }}
    />
  );
}
