import type { RawInput } from '@worktrack/contracts/operation';
import type { listCards } from '@worktrack/contracts/work-items/lists/cards';
import type { openBoard as operation } from '@worktrack/contracts/work-items/lists/open-board';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { keepEvents } from '../live/live.ts';
import { filter, projectHere } from '../router.ts';
import type { CardPages } from './card-pages.ts';

export type CardFilters = Pick<RawInput<typeof listCards>, 'search' | 'type' | 'priority' | 'leaseState'>;

/** Of the board's cards, as the address has them. */
export function cardFilters(): CardFilters {
  return {
    search: filter('q'),
    type: filter('type') as ItemType | undefined,
    priority: filter('priority') as Priority | undefined,
    leaseState: filter('work') as CardFilters['leaseState'],
  };
}

export function cardsKey(boardId: string, filters: CardFilters, columnId: string) {
  return ['cards', boardId, filters, columnId];
}

/** Tells the board, once it is drawn, what happened since it was read. */
export let catchUp = () => {};

/** Reads all that the board shows first in one request, and puts it where the parts of the page look for it. */
export async function openBoard(signal: AbortSignal) {
  catchUp();
  catchUp = keepEvents();
  const filters = cardFilters();
  const input = { projectId: projectHere.value, boardId: filter('board'), ...filters };
  const { projects, boards, boardId, columns } = await call<typeof operation>('GET /api/board-view', input, { signal });
  if (boardId) queries.setQueryData(['boards', boards[0]?.projectId], boards);
  for (const { boardColumnId, ...page } of columns) {
    const pages: CardPages = { pages: [page], pageParams: [undefined] };
    queries.setQueryData(cardsKey(boardId ?? '', filters, boardColumnId), pages);
  }
  return projects;
}
