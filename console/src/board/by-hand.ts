import type { Column } from '@worktrack/contracts/projects/board';
import { laterTexts } from '../language/later-texts.ts';
import type { Step } from '../parts/page/steps.ts';
import { may } from '../session.ts';
import type { BoardCards, Found, Lane, Place } from './board-cards.ts';

/** Selects the card that has the focus, or no longer. */
export const SELECT_KEY = 'x';

/**
 * The card that an arrow key leads to. Up and down: the next one in the column, continuing in the next lane at the end of a lane. Sideways: the one beside it
 * in the nearest column that has any.
 */
export function neighbour(cards: BoardCards, { column, lane, at }: Found, [across, down]: Step): string | undefined {
  if (down !== 0) return (cards.cardsIn(column.id, lane)[at + down] ?? beyond(cards, column.id, lane, down))?.id;
  const { columns } = cards.board;
  let next = columns.findIndex(({ id }) => id === column.id) + across;
  for (; next >= 0 && next < columns.length; next += across) {
    const beside = cards.cardsIn(columns[next]?.id ?? '', lane);
    if (beside.length > 0) return beside[Math.min(at, beside.length - 1)]?.id;
  }
  return undefined;
}

/** In the nearest lane that has any in this column. */
function beyond(cards: BoardCards, columnId: string, lane: string | undefined, down: number) {
  let next = cards.lanes.findIndex(({ key }) => key === lane);
  if (next < 0) return undefined;
  for (next += down; next >= 0 && next < cards.lanes.length; next += down) {
    const there = cards.cardsIn(columnId, cards.lanes[next]?.key);
    if (there.length > 0) return there.at(down > 0 ? 0 : -1);
  }
  return undefined;
}

/** Moves the card in the arrow's direction. Sideways, to the top of the next column: it is visible there. */
export function moved(cards: BoardCards, { card, column, lane, at }: Found, [across, down]: Step): string | undefined {
  if (!may('work-items:write')) return undefined;
  if (across !== 0) {
    const { columns } = cards.board;
    const target = columns[columns.findIndex(({ id }) => id === column.id) + across];
    if (!target) return undefined;
    cards.move(card.id, target, 'first');
    return card.id;
  }
  const others = cards.cardsIn(column.id, lane).filter(({ id }) => id !== card.id);
  if (at + down < 0 || at + down > others.length) return undefined;
  const before = others[at + down - 1];
  cards.move(card.id, column, before ? { after: before.id } : 'first');
  return card.id;
}

/** Moves the card to the next open lane, in its column. */
export function movedToLane(cards: BoardCards, { card, column, lane }: Found, down: number): string | undefined {
  const at = cards.lanes.findIndex(({ key }) => key === lane);
  const target = at < 0 ? undefined : cards.lanes[at + down];
  if (!target || !may('work-items:write')) return undefined;
  drop(cards, card.id, column, undefined, target);
  return card.id;
}

/**
 * Moves the card there, and into the lane, if there are any.
 * @param place undefined: wherever it comes in its column
 */
export function drop(
  cards: BoardCards,
  id: string,
  to: Column,
  place: Place | undefined,
  lane: Lane | undefined,
): void {
  const found = cards.findSeen(id);
  if (!found) {
    const roleOf = (columnId: string) => cards.board.columns.find((column) => column.id === columnId)?.role;
    void Promise.all([import('../change/move.ts'), laterTexts()]).then(([it]) =>
      it.moveUnseen(cards.dragged, to, roleOf),
    );
  } else if (lane && cards.laneOf(found.card) !== lane.key) {
    cards.inTurn(id, async () => {
      const { changeLane } = await import('./lanes/change.ts');
      await changeLane(cards, cards.find(id) ?? found, to, lane, place);
    });
  } else if (place) cards.move(id, to, place);
}
