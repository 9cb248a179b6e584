import type { InfiniteData } from '@tanstack/query-core';
import type { Output } from '@worktrack/contracts/operation';
import type { Card, listCards } from '@worktrack/contracts/work-items/lists/cards';

export type CardPage = Output<typeof listCards>;
/** What was read of a column: its pages from the start, in order. */
export type CardPages = InfiniteData<CardPage, string | undefined>;

export function cardsOf(data: CardPages | undefined): Card[] {
  return data?.pages.flatMap(({ cards }) => cards) ?? [];
}

export function totalOf(data: CardPages | undefined): number {
  return data?.pages[0]?.pagination.total ?? 0;
}

/** What is meant of a column, as if only that had been asked for; undefined if the column was not read to its end. */
export function partOf(data: CardPages | undefined, isMeant: (card: Card) => boolean): CardPages | undefined {
  const [first] = data?.pages ?? [];
  if (!first || data?.pages.at(-1)?.nextCursor !== null) return undefined;
  const cards = cardsOf(data).filter(isMeant);
  const pagination = { ...first.pagination, total: cards.length };
  return { pages: [{ ...first, cards, pagination, nextCursor: null }], pageParams: [undefined] };
}

/** The column without the card. */
export function withoutCard(data: CardPages, id: string): CardPages {
  if (!cardsOf(data).some((card) => card.id === id)) return data;
  const pages = data.pages.map((page) => ({ ...page, cards: page.cards.filter((card) => card.id !== id) }));
  return counted({ ...data, pages }, -1);
}

/** The column with the card at the place given by its position; only counted if that lies beyond what was read. */
export function withCard(data: CardPages, card: Card): CardPages {
  const rest = withoutCard(data, card.id);
  const after = rest.pages.findIndex(({ cards }) => cards.some((other) => isBefore(card, other)));
  const isWhole = rest.pages.at(-1)?.nextCursor === null;
  if (after === -1 && !isWhole) return counted(rest, 1);
  const at = after === -1 ? rest.pages.length - 1 : after;
  const pages = rest.pages.map((page, index) => {
    if (index !== at) return page;
    const before = page.cards.filter((other) => !isBefore(card, other));
    return { ...page, cards: [...before, card, ...page.cards.filter((other) => isBefore(card, other))] };
  });
  return counted({ ...rest, pages }, 1);
}

/** Cards as they are known meanwhile, by id; undefined: it is gone. */
export type News = Map<string, Card | undefined>;

/**
 * A page that may have been read before the news: of each card, whatever is newer.
 * @param isMeant whether a card belongs to what was asked for
 * @param isFirst of several pages: what it lacks may be in a later one otherwise
 */
export function withNews(page: CardPage, news: News, isMeant: (card: Card) => boolean, isFirst: boolean): CardPage {
  let data: CardPages = { pages: [page], pageParams: [undefined] };
  for (const [id, card] of news) {
    const read = page.cards.find((each) => each.id === id);
    if (read && card && read.version > card.version) continue;
    if (!card || !isMeant(card)) data = withoutCard(data, id);
    else if (read || isFirst) data = withCard(data, card);
  }
  return data.pages[0] ?? page;
}

export function withTotal(data: CardPages, pagination: CardPage['pagination']): CardPages {
  const [first, ...others] = data.pages;
  return first ? { ...data, pages: [{ ...first, pagination }, ...others] } : data;
}

/**
 * A position at this place among the cards, until the service has said what it is.
 * @param at how many of the cards come before it
 */
export function positionAt(cards: readonly Card[], at: number): number {
  const [before, after] = [cards[at - 1]?.position, cards[at]?.position];
  if (before === undefined) return (after ?? 1) - 1;
  return after === undefined ? before + 1 : (before + after) / 2;
}

function isBefore(card: Card, other: Card): boolean {
  return card.position < other.position || (card.position === other.position && card.id < other.id);
}

function counted(data: CardPages, by: number): CardPages {
  const pagination = data.pages[0]?.pagination;
  return pagination ? withTotal(data, { ...pagination, total: Math.max(0, pagination.total + by) }) : data;
}
