import type { Board } from '@worktrack/contracts/projects/board';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { today } from '../clock.ts';
import { day, dollars, nearUtcDay, number } from '../language/format.ts';
import { Icon } from '../parts/icon.tsx';
import { dueIcon } from '../parts/icons.ts';
import { choiceOf, wordOf } from '../parts/item/choices.tsx';
import { StateIcon, TypeIcon } from '../parts/item/item-icons.tsx';
import { itemWords } from '../parts/item/item-words.ts';
import { Label } from '../parts/item/label.tsx';
import {
  type ChosenField,
  isChosen,
  isDay,
  isWritten,
  WRITTEN,
  type WrittenField,
} from '../parts/item/plain-fields.ts';
import { memo } from '../parts/memo.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { toPanel } from '../router.ts';
import { may } from '../session.ts';
import { words as filterWords } from '../views/filters/messages.ts';
import { selected } from '../views/selection/selection.ts';
import { CellEditor, isEdited } from './cell-editor.tsx';
import { type CellName, type Column, nameOf } from './columns.ts';
import { words } from './messages.ts';

/** What a row tells the table. */
export interface RowActions {
  focus(place: { readonly key: string; readonly id: string; readonly cell: CellName }): void;
  /** Of the row that has the focus. */
  edit(cell: CellName | undefined): void;
  /** @param isRange from the last one that was selected */
  select(id: string, isRange: boolean): void;
}

interface RowProps {
  readonly lineKey: string;
  readonly card: Card;
  readonly board: Board | undefined;
  readonly columns: readonly Column[];
  readonly index: number;
  /** The cell that Tab reaches. */
  readonly tabStop: CellName | undefined;
  readonly focused: CellName | undefined;
  readonly editing: CellName | undefined;
  readonly actions: RowActions;
}

export const Row = memo(function Row({ card, columns, index, actions, ...props }: RowProps) {
  const { id, taskId } = card;
  const isSelected = selected.value.has(id);
  const mayWrite = may('work-items:write');
  const cells: readonly CellName[] = ['title', ...columns];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be laid out so
    // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
    <div
      role="row"
      class={isSelected ? 'list-row list-row-selected' : 'list-row'}
      data-item={id}
      aria-rowindex={index}
      aria-selected={mayWrite ? isSelected : undefined}
    >
      {mayWrite && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: the box has the focus
        <div role="gridcell" class="list-select">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={words.select({ taskId })}
            checked={isSelected}
            onClick={(event) => actions.select(id, event.shiftKey)}
          />
        </div>
      )}
      {cells.map((cell) => (
        <Cell key={cell} name={cell} card={card} actions={actions} mayEdit={mayWrite && isEdited(cell)} {...props} />
      ))}
    </div>
  );
});

interface CellProps extends Omit<RowProps, 'columns' | 'index'> {
  readonly name: CellName;
  readonly mayEdit: boolean;
}

function Cell({ name, lineKey, card, board, tabStop, focused, editing, actions, mayEdit }: CellProps) {
  const cell = useRef<HTMLDivElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const isTitle = name === 'title';
  const isEditing = editing === name;
  const isFocused = focused === name;
  useLayoutEffect(() => {
    const target = link.current ?? cell.current;
    if (isFocused && !isEditing && document.activeElement !== target) target?.focus({ preventScroll: true });
  }, [isFocused, isEditing]);
  const tabIndex = tabStop === name ? 0 : -1;
  const close = () => actions.edit(undefined);
  const isInput = isEditing && (isTitle || isWritten(name));
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the table's
    <div
      ref={cell}
      role="gridcell"
      class={`list-cell list-cell-${name}`}
      data-cell={name}
      data-what={BARE.includes(name) ? nameOf(name) : undefined}
      tabIndex={isTitle ? undefined : tabIndex}
      {...(mayEdit && !isTitle && { 'aria-label': nameOfCell(name, card, board) })}
      onFocusCapture={() => actions.focus({ key: lineKey, id: card.id, cell: name })}
      onDblClick={() => isTitle && mayEdit && actions.edit(name)}
      onClick={(event) => {
        const { target } = event;
        if (target instanceof Element && target.closest('[popover], input')) return;
        if (event.shiftKey) {
          event.preventDefault();
          actions.select(card.id, true);
        } else if (mayEdit && !isTitle) actions.edit(name);
        else if (!(target instanceof Element && target.closest('a')) && !getSelection()?.toString())
          cell.current?.parentElement?.querySelector('a')?.click();
      }}
    >
      {isTitle && <TypeIcon type={card.type} />}
      {isTitle && <span class="list-id">{card.taskId}</span>}
      {!isInput && isTitle && (
        <a ref={link} href={toPanel(card.taskId)} tabIndex={tabIndex} draggable={false}>
          {card.title}
        </a>
      )}
      {!isInput && !isTitle && contentOf(name, card, board)}
      {isEditing && isEdited(name) && (
        <CellEditor card={card} board={board} column={name} cell={cell} onClose={close} />
      )}
    </div>
  );
}

/** Where no head names the columns, dates and numbers say what they are. */
const BARE: readonly CellName[] = [...WRITTEN, 'cost', 'createdAt', 'updatedAt'];

const roleIn = (board: Board | undefined, columnId: string) => board?.columns.find(({ id }) => id === columnId)?.role;

function contentOf(name: Column, card: Card, board: Board | undefined): ComponentChildren {
  switch (name) {
    case 'column':
      return (
        <>
          <StateIcon role={roleIn(board, card.boardColumnId) ?? null} />
          <Text>{card.columnName}</Text>
        </>
      );
    case 'assignee':
      return card.assignee !== null && <Named name={card.assignee} />;
    case 'labels':
      // With a space, so that their names are not one word.
      return card.labels.flatMap(({ id, name: label, colour }) => [
        <Label key={id} name={label} colour={colour} />,
        ' ',
      ]);
    case 'epic':
      return card.epic && <Text>{card.epic.title}</Text>;
    case 'agent':
      return (
        card.lease && (
          <>
            <Named name={card.lease.agent} isAgent />
            {(card.lease.stalled || card.lease.state === 'awaiting_input') && (
              <span class={card.lease.stalled ? 'tag tag-bad' : 'tag tag-warn'}>
                {itemWords[card.lease.stalled ? 'stalled' : card.lease.state]}
              </span>
            )}
          </>
        )
      );
    case 'cost':
      return Number(card.estimatedCost) > 0 && dollars(Number(card.estimatedCost));
    case 'createdAt':
    case 'updatedAt':
      return day(card[name]);
    default:
      return isChosen(name) ? chosenIn(name, card) : writtenIn(name, card, board);
  }
}

function chosenIn(name: ChosenField, card: Card): ComponentChildren {
  const [value, word, icon] = choiceOf(name, card[name]);
  return (
    value && (
      <>
        {icon}
        <Text>{word}</Text>
      </>
    )
  );
}

function writtenIn(name: WrittenField, card: Card, board: Board | undefined): ComponentChildren {
  const text = textOf(name, card);
  if (!isOverdue(name, card, board)) return text;
  return (
    <span class="list-overdue">
      <Icon of={dueIcon} name={filterWords.overdue} /> {text}
    </span>
  );
}

const isOverdue = (name: CellName, { dueDate, boardColumnId }: Card, board: Board | undefined): boolean =>
  name === 'dueDate' && dueDate !== null && dueDate < today.value && roleIn(board, boardColumnId) !== 'done';

function textOf(name: WrittenField, card: Card): string | false | null {
  if (isDay(name)) return card[name] && nearUtcDay(card[name]);
  return card[name] !== null && number(card[name]);
}

function Named({ name, isAgent = false }: { readonly name: string; readonly isAgent?: boolean }) {
  return (
    <>
      <Avatar name={name} isAgent={isAgent} />
      <Text>{name}</Text>
    </>
  );
}

function Text({ children }: { readonly children: ComponentChildren }) {
  return <span class="list-text">{children}</span>;
}

/** What a screen reader says of a cell in which a field is changed. */
function nameOfCell(name: CellName, card: Card, board: Board | undefined): string {
  const values: Partial<Record<CellName, string | false | null>> = {
    column: card.columnName,
    assignee: card.assignee,
    labels: card.labels.map((label) => label.name).join(', '),
  };
  const chosen = isChosen(name) ? wordOf(card[name]) : values[name];
  const value = isWritten(name) ? textOf(name, card) : chosen;
  return `${nameOf(name)}: ${value || '–'}${isOverdue(name, card, board) ? ` (${filterWords.overdue})` : ''}`;
}
