import type { Column } from '@worktrack/contracts/projects/board';
import { askWhy } from '../../change/ask.ts';
import { changeItem } from '../../change/save.ts';
import { isSentBack } from '../../parts/item/send-back.ts';
import { NONE } from '../../views/filters/filters.ts';
import { type BoardCards, type Found, type Lane, type Place, said } from '../board-cards.ts';
import { words } from './messages.ts';

/**
 * Moves a card into another lane: changes what the lane stands for and, if it is another one, the column, as one change that is undone as one.
 * @param place undefined: wherever it comes in its column
 */
export async function changeLane(
  cards: BoardCards,
  { card, column }: Found,
  to: Column,
  lane: Lane,
  place: Place | undefined,
): Promise<void> {
  const isBack = isSentBack(card.type, column.role, to.role);
  const reason = isBack ? await askWhy(card.taskId) : undefined;
  if (isBack && reason === undefined) return;
  const value = lane.key === NONE ? null : lane.key;
  const isMoved = column.id !== to.id;
  const of = cards.by === 'epic' ? { parentId: value } : { assignee: value };
  const changes = { ...of, ...(isMoved && { boardColumnId: to.id, ...(reason !== undefined && { reason }) }) };
  said.value = words.moved({ taskId: card.taskId, lane: lane.name, column: to.name });
  const saved = await changeItem(card, changes, {
    ...of,
    ...(cards.by === 'epic' && { epic: value === null ? null : { id: value, taskId: '', title: lane.name } }),
    ...(isMoved && { boardColumnId: to.id, columnName: to.name }),
  });
  if (!saved) return;
  cards.takeOver(saved);
  // Its place is no part of that change: nobody undoes it by itself.
  if (place) cards.move(card.id, to, place);
}
