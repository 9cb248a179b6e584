import './bar.css';
import type { Board } from '@worktrack/contracts/projects/board';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { deleteItems } from '../../change/copy.ts';
import { changeEach, changeItems, labelItems } from '../../change/many.ts';
import { moveItems } from '../../change/move.ts';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { closeIcon, deleteIcon } from '../../parts/icons.ts';
import { changeTo, choicesOf } from '../../parts/item/choices.tsx';
import { StateIcon, TypeIcon } from '../../parts/item/item-icons.tsx';
import { TYPES } from '../../parts/item/item-values.ts';
import { itemWords } from '../../parts/item/item-words.ts';
import { LabelDot } from '../../parts/item/label.tsx';
import { useLabels } from '../../parts/item/labels.ts';
import { CHOSEN, fieldWords } from '../../parts/item/plain-fields.ts';
import { words as common } from '../../parts/messages.ts';
import { useShortcuts } from '../../parts/page/shortcuts.ts';
import { useActiveUsers } from '../../parts/people/people.ts';
import { Menu, type MenuItem } from '../../parts/popup/menu.tsx';
import { words as filterWords } from '../filters/messages.ts';
import { words } from './messages.ts';
import { selected, selectNothing } from './selection.ts';

interface SelectionBarProps {
  readonly projectId: string;
  readonly boards: readonly Board[];
  readonly find: (id: string) => { readonly card: Card } | undefined;
}

/** What can be done with all cards that are selected, at once; each can be undone as one. */
export function SelectionBar({ projectId, boards, find }: SelectionBarProps) {
  const users = useActiveUsers();
  const labels = useLabels(projectId).data ?? [];
  useShortcuts([{ keys: 'Escape', label: words.selectNothing, run: selectNothing }]);
  // As they are when something is chosen, not when the bar was drawn.
  const chosen = () => [...selected.value].flatMap((id) => find(id)?.card ?? []);
  const drawn = chosen();
  const boardIds = new Set(drawn.map(({ boardId }) => boardId));
  // Items of several boards have no column in common.
  const columns = (boardIds.size > 1 ? undefined : boards.find(({ id }) => boardIds.has(id)))?.columns ?? [];
  const roleOf = (id: string) => columns.find((column) => column.id === id)?.role;
  const label = (group: string, change: 'add' | 'remove'): MenuItem[] =>
    labels.map((each) => ({
      group,
      label: each.name,
      icon: <LabelDot colour={each.colour} />,
      run: () => void labelItems(chosen(), { [change]: each }),
    }));
  const menus: readonly (readonly [string, readonly MenuItem[]])[] = [
    [
      words.moveAll,
      columns.map((column) => ({
        label: column.name,
        icon: <StateIcon role={column.role} />,
        run: () => void moveItems(chosen(), column, roleOf),
      })),
    ],
    [
      words.assign,
      [
        ...users.map(({ name }) => ({ label: name, run: () => void changeItems(chosen(), { assignee: name }) })),
        { group: '', label: filterWords.nobody, run: () => void changeItems(chosen(), { assignee: null }) },
      ],
    ],
    ...CHOSEN.map((field): (typeof menus)[number] => [
      fieldWords[field],
      choicesOf(field).map(([value, label, icon]) => ({
        ...{ label, icon },
        run: () => void changeItems(chosen(), changeTo(field, value)),
      })),
    ]),
    [common.labels, [...label(words.addLabel, 'add'), ...label(words.removeLabel, 'remove')]],
    [
      filterWords.type,
      TYPES.map((type) => ({
        label: itemWords[type],
        icon: <TypeIcon type={type} isNamed={false} />,
        run: () => void changeEach(chosen(), { type }),
      })),
    ],
  ];
  const remove = async () => {
    if (await deleteItems(chosen())) selectNothing();
  };
  return (
    <section class="selection-bar" aria-label={words.selection}>
      <p role="status">{words.selected({ n: drawn.length })}</p>
      {menus
        .filter(([, items]) => items.length > 0)
        .map(([name, items]) => (
          <Menu key={name} label={name} items={items} class="button">
            {name}
          </Menu>
        ))}
      <button type="button" class="button button-icon" title={common.delete} onClick={() => void remove()}>
        <Icon of={deleteIcon} name={common.delete} />
      </button>
      <IconButton
        of={closeIcon}
        name={words.selectNothing}
        title={`${words.selectNothing} (Esc)`}
        onClick={selectNothing}
      />
    </section>
  );
}
