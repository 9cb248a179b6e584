import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { dollars, duration, number, percent, shortUtcDay } from '../language/format.ts';
import { itemWords } from '../parts/item-words.ts';
import { Label } from '../parts/label.tsx';
import { memo } from '../parts/memo.ts';
import { Menu } from '../parts/menu.tsx';
import { words as common } from '../parts/messages.ts';
import { to } from '../router.ts';
import { may } from '../session.ts';
import type { BoardCards } from './board-cards.ts';
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
  const [edge, setEdge] = useState<'before' | 'after'>();
  const mayMove = may('work-items:write');
  const { id, taskId, title, type, priority, lease, blockedBy, estimatedCost } = card;

  useLayoutEffect(() => {
    if (hasFocus && document.activeElement !== link.current) link.current?.focus({ preventScroll: true });
  }, [hasFocus]);
  useEffect(() => {
    const shown = element.current;
    if (!shown || !mayMove) return;
    return combine(
      draggable({ element: shown, getInitialData: () => ({ cardId: id }), onDragStart: () => onFocus(id) }),
      dropTargetForElements({
        element: shown,
        canDrop: ({ source }) => source.data.cardId !== undefined && source.data.cardId !== id,
        getData: ({ input, element: target }) => ({ cardId: id, edge: edgeAt(input.clientY, target) }),
        onDrag: ({ self }) => setEdge(self.data.edge as typeof edge),
        onDragLeave: () => setEdge(undefined),
        onDrop: () => setEdge(undefined),
      }),
    );
  }, [id, mayMove, onFocus]);

  const cost = Number(estimatedCost);
  const role = cards.board.columns.find((column) => column.id === card.boardColumnId)?.role;
  const isOverdue = card.dueDate !== null && role !== 'done' && card.dueDate < today(now.value);
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <div
      ref={element}
      class={`card card-${priority} ${edge ? `card-drop-${edge}` : ''}`}
      data-card={id}
      onFocusCapture={() => onFocus(id)}
    >
      <div class="card-head">
        <span class="quiet">
          {taskId} · {itemWords[type]}
        </span>
        {mayMove && (
          <Menu label={words.move({ taskId })} items={moves(cards, card, onFocus)} tabIndex={tabIndex}>
            ⋯
          </Menu>
        )}
      </div>
      <a ref={link} class="card-title" draggable={false} href={to(`items/${taskId}`)} tabIndex={tabIndex}>
        {title}
      </a>
      <div class="row card-tags">
        {(priority === 'urgent' || priority === 'high') && (
          <span class={`tag ${priority === 'urgent' ? 'tag-bad' : 'tag-warn'}`}>{itemWords[priority]}</span>
        )}
        {lease && <span class="tag tag-accent">{lease.agent}</span>}
        {!lease && card.assignee && <span class="tag">{card.assignee}</span>}
        {lease?.stalled && <span class="tag tag-bad">{itemWords.stalled}</span>}
        {lease?.state === 'awaiting_input' && <span class="tag tag-warn">{itemWords.awaiting_input}</span>}
        {blockedBy.length > 0 && (
          <span class="tag tag-warn card-blocked">{words.blockedBy({ items: some(blockedBy) })}</span>
        )}
        {card.onReturnedBase && (
          <span class="tag tag-bad card-blocked">{words.onReturnedBase({ items: some(card.onReturnedBase) })}</span>
        )}
        {card.dueDate && (
          <span class={`tag ${isOverdue ? 'tag-bad' : ''}`}>
            <span class="unseen">{isOverdue ? words.overdue : common.dueDate}: </span>
            {shortUtcDay(card.dueDate)}
          </span>
        )}
        {card.labels.map(({ id: labelId, name, colour }) => (
          <Label key={labelId} name={name} colour={colour} />
        ))}
        {card.estimate !== null && (
          <span class="tag" title={common.estimate}>
            <span class="unseen">{common.estimate}: </span>
            {number(card.estimate)}
          </span>
        )}
        {cost > 0 && (
          <span class="tag">
            <span class="unseen">{words.costSoFar}: </span>
            {dollars(cost)}
          </span>
        )}
      </div>
      {card.rework && (
        <p class="card-note">
          {card.rework.summary ? words.sentBackBecause({ reason: card.rework.summary }) : words.sentBack}
        </p>
      )}
      {lease && <LeaseView lease={lease} />}
    </div>
  );
});

/** In UTC, as the service counts. */
const today = (nowMs: number) => new Date(nowMs).toISOString().slice(0, 'yyyy-mm-dd'.length);

function LeaseView({ lease }: { readonly lease: NonNullable<Card['lease']> }) {
  const leftMs = Date.parse(lease.expiresAt) - now.value;
  return (
    <div class="card-lease">
      {lease.progress !== null && <progress class="meter" aria-label={words.progress} max={1} value={lease.progress} />}
      <p class="quiet">
        {leftMs > 0 ? words.timeLeft({ time: duration(leftMs) }) : words.expired}
        {lease.progress !== null && ` · ${percent(lease.progress)}`}
      </p>
      {lease.note && <p class="card-note">{lease.note}</p>}
    </div>
  );
}

function moves(cards: BoardCards, card: Card, onFocus: (id: string) => void) {
  return cards.board.columns.map((column) => ({
    label: words.moveTo({ column: column.name }),
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

function edgeAt(clientY: number, element: Element): 'before' | 'after' {
  const { top, height } = element.getBoundingClientRect();
  return clientY < top + height / 2 ? 'before' : 'after';
}
