import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { IconNode } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { now, today } from '../clock.ts';
import { dollars, duration, nearUtcDay, number, percent } from '../language/format.ts';
import { Icon } from '../parts/icon.tsx';
import {
  blockedIcon,
  checkIcon,
  dueIcon,
  estimateIcon,
  moreIcon,
  questionIcon,
  returnedIcon,
  stalledIcon,
} from '../parts/icons.ts';
import { PriorityIcon, StateIcon, TypeIcon } from '../parts/item/item-icons.tsx';
import { itemWords } from '../parts/item/item-words.ts';
import { Label } from '../parts/item/label.tsx';
import { fieldWords } from '../parts/item/plain-fields.ts';
import { memo } from '../parts/memo.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { Menu } from '../parts/popup/menu.tsx';
import { toPanel } from '../router.ts';
import { may } from '../session.ts';
import { extendTo, selected, toggle } from '../views/selection/selection.ts';
import type { BoardCards } from './board-cards.ts';
import { type Edge, whenDraggable } from './drag.ts';
import { isDragging } from './drag-state.ts';
import { words } from './messages.ts';

const MAX_BLOCKING_SHOWN = 2;

interface CardProps {
  readonly card: Card;
  readonly cards: BoardCards;
  /** Whether Tab reaches it: one card per column, from which arrows lead to the others. */
  readonly isTabStop: boolean;
  readonly hasFocus: boolean;
  readonly onFocus: (id: string) => void;
}

export const CardView = memo(function CardView({ card, cards, isTabStop, hasFocus, onFocus }: CardProps) {
  const element = useRef<HTMLDivElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const mayMove = may('work-items:write');
  const { id, taskId, title, type, priority, lease, blockedBy, estimatedCost } = card;

  useLayoutEffect(() => {
    if (!hasFocus || document.activeElement === link.current) return;
    link.current?.focus({ preventScroll: true });
    // Whole, not its link alone; also sideways, where its column may be beside the window.
    if (!isDragging.peek()) element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [hasFocus]);
  useEffect(() => {
    const shown = element.current;
    if (shown && mayMove)
      return whenDraggable((dragging) => {
        const onStart = () => {
          cards.dragged = taskId;
          onFocus(id);
        };
        return dragging.card(shown, id, { onStart, onEdge: setEdge });
      });
  }, [id, taskId, mayMove, onFocus, cards]);

  const cost = Number(estimatedCost);
  const role = cards.board.columns.find((column) => column.id === card.boardColumnId)?.role;
  const isOverdue = card.dueDate !== null && role !== 'done' && card.dueDate < today.value;
  const tabIndex = isTabStop ? 0 : -1;
  const isSelected = selected.value.has(id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the link is for everybody
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      ref={element}
      class={`card ${edge ? `card-drop-${edge}` : ''} ${isSelected ? 'card-selected' : ''}`}
      data-card={id}
      onFocusCapture={() => onFocus(id)}
      onClick={(event) => {
        const { target } = event;
        if (event.shiftKey && mayMove) {
          event.preventDefault();
          extendTo(id, cards.cardsIn(card.boardColumnId, cards.laneOf(card)));
          return;
        }
        const isOnControl = target instanceof Element && target.closest('a, button, [popover]');
        if (!isOnControl && !getSelection()?.toString()) link.current?.click();
      }}
    >
      <div class="card-head">
        <TypeIcon type={type} />
        <span class="card-id">{taskId}</span>
        {mayMove && (
          <Menu
            class="button button-quiet button-icon"
            label={words.move({ taskId })}
            items={[
              { label: isSelected ? words.deselect : words.select, icon: checkIcon, keys: 'x', run: () => toggle(id) },
              ...moves(cards, card, onFocus),
            ]}
            tabIndex={tabIndex}
          >
            <Icon of={moreIcon} />
          </Menu>
        )}
        <PriorityIcon priority={priority} />
        {!lease && card.assignee && <Avatar name={card.assignee} label={words.assignedTo({ name: card.assignee })} />}
      </div>
      <a
        ref={link}
        class="card-title"
        draggable={false}
        href={toPanel(taskId)}
        aria-label={isSelected ? `${nameOf(card)}${words.comma}${words.isSelected}` : nameOf(card)}
        tabIndex={tabIndex}
      >
        {title}
      </a>
      <div class="row card-tags">
        {lease?.stalled && <Tag tone="bad" icon={stalledIcon} text={itemWords.stalled} />}
        {lease?.state === 'awaiting_input' && <Tag tone="warn" icon={questionIcon} text={itemWords.awaiting_input} />}
        {blockedBy.length > 0 && (
          <Tag tone="warn" icon={blockedIcon} text={words.blockedBy({ items: some(blockedBy) })} />
        )}
        {card.onReturnedBase && (
          <Tag tone="bad" icon={returnedIcon} text={words.onReturnedBase({ items: some(card.onReturnedBase) })} />
        )}
        {card.dueDate && (
          <Tag
            tone={isOverdue ? 'bad' : undefined}
            icon={dueIcon}
            what={isOverdue ? words.overdue : fieldWords.dueDate}
            text={nearUtcDay(card.dueDate)}
          />
        )}
        {card.labels.map(({ id: labelId, name, colour }) => (
          <Label key={labelId} name={name} colour={colour} />
        ))}
        {card.estimate !== null && <Tag icon={estimateIcon} what={fieldWords.estimate} text={number(card.estimate)} />}
        {cost > 0 && <Tag what={words.costSoFar} text={dollars(cost)} />}
      </div>
      {card.rework && (
        <p class="card-note card-back">
          {card.rework.summary ? words.sentBackBecause({ reason: card.rework.summary }) : words.sentBack}
        </p>
      )}
      {lease && <LeaseView lease={lease} />}
    </div>
  );
});

interface TagProps {
  readonly tone?: 'warn' | 'bad' | undefined;
  readonly icon?: IconNode;
  /** What the text is about, where the icon alone says so. */
  readonly what?: string;
  readonly text: string;
}

function Tag({ tone, icon, what, text }: TagProps) {
  return (
    <span class={tone ? `tag tag-${tone}` : 'tag'} title={what ?? text}>
      {icon && <Icon of={icon} />}
      {what && <span class="unseen">{what}: </span>}
      <span class="tag-text">{text}</span>
    </span>
  );
}

/** What a screen reader says instead of reading a heap of marks. */
function nameOf({ taskId, title, type, priority, columnName, lease, rework, blockedBy }: Card): string {
  const state = lease && (lease.stalled ? 'stalled' : lease.state);
  const parts = [
    ...[taskId, title, itemWords[type], itemWords.priorityOf({ priority: itemWords[priority] }), columnName],
    ...(state ? [itemWords[state]] : []),
    ...(rework ? [words.sentBack] : []),
    ...(blockedBy.length > 0 ? [words.blockedBy({ items: some(blockedBy) })] : []),
  ];
  return parts.join(words.comma);
}

function LeaseView({ lease }: { readonly lease: NonNullable<Card['lease']> }) {
  const leftMs = Date.parse(lease.expiresAt) - now.value;
  return (
    <div class="card-lease">
      {lease.progress !== null && <progress class="meter" aria-label={words.progress} max={1} value={lease.progress} />}
      <p class="card-agent">
        <Avatar name={lease.agent} isAgent />
        <span class="card-agent-name">{lease.agent}</span>
        {lease.progress !== null && <span>{percent(lease.progress)}</span>}
        <span>{leftMs > 0 ? words.timeLeft({ time: duration(leftMs) }) : words.expired}</span>
      </p>
      {lease.note && <p class="card-note">{lease.note}</p>}
    </div>
  );
}

function moves(cards: BoardCards, card: Card, onFocus: (id: string) => void) {
  return cards.board.columns.map((column) => ({
    group: '',
    label: words.moveTo({ column: column.name }),
    icon: <StateIcon role={column.role} />,
    disabled: column.id === card.boardColumnId,
    run: () => {
      cards.move(card.id, column, 'first');
      onFocus(card.id);
    },
  }));
}

function some(blocking: readonly string[]): string {
  const shown = blocking.slice(0, MAX_BLOCKING_SHOWN).join(', ');
  const n = blocking.length - MAX_BLOCKING_SHOWN;
  return n > 0 ? words.andMore({ items: shown, n }) : shown;
}
