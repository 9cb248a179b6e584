import type { openBoard as operation } from '@worktrack/contracts/work-items/lists/open-board';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { keepEvents } from '../live/live.ts';
import { filter, projectHere } from '../router.ts';
import { type CardFilters, cardFilters } from '../views/filters/filters.ts';
import type { CardPages } from './card-pages.ts';

/** The most that the service gives of each column. */
const MAX_FIRST_CARDS = 50;

/** @param lane what of the column is meant; absent: all of it */
export function cardsKey(boardId: string, filters: CardFilters, columnId: string, lane?: readonly string[]) {
  return ['cards', boardId, filters, columnId, ...(lane ?? [])];
}

/** Tells the board, once it is drawn, what happened since it was read. */
export let catchUp = () => {};

/** Reads all that the board shows first in one request, and puts it where the parts of the page look for it. */
export async function openBoard(signal: AbortSignal) {
  catchUp();
  catchUp = keepEvents();
  const filters = cardFilters();
  const input = {
    ...{ projectId: projectHere.value, boardId: filter('board'), ...filters },
    // What is read whole is divided into lanes here (BoardCards.divide).
    ...(filter('groupBy') && { limit: MAX_FIRST_CARDS }),
  };
  const { projects, boards, boardId, columns } = await call<typeof operation>('GET /api/board-view', input, { signal });
  if (boardId) queries.setQueryData(['boards', boards[0]?.projectId], boards);
  for (const { boardColumnId, ...page } of columns) {
    const pages: CardPages = { pages: [page], pageParams: [undefined] };
    queries.setQueryData(cardsKey(boardId ?? '', filters, boardColumnId), pages);
  }
  return projects;
}
