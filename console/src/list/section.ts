import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { Order } from './order.ts';

/** A part of the list, read from its beginning as far as it was looked at: one of its groups, or all of it. */
export interface Section {
  /** Of the group; undefined: it is all there is. */
  readonly key: string | undefined;
  readonly name: string | null;
  readonly count: number;
  readonly isAtLeast: boolean;
  readonly cards: readonly Card[];
  /** Where the next page begins; null: there is none, undefined: nothing was read yet. */
  readonly cursor: string | null | undefined;
  readonly error?: unknown;
}

/** Cards as they are known now, by id; undefined: it is gone. */
export type Changed = ReadonlyMap<string, Card | undefined>;

interface How {
  readonly order: Order;
  /** By a search: what it finds by its ID comes first, in any order, so each stays where it is. */
  readonly isFound: boolean;
  readonly isIn: (card: Card) => boolean;
}

/** The section with all that has changed at its place, however much at once; what belongs beyond what was read is only counted. */
export function withCards(section: Section, changed: Changed, { order, isFound, isIn }: How): Section {
  const isWhole = section.cursor === null;
  const had = new Set(section.cards.flatMap(({ id }) => (changed.has(id) ? [id] : [])));
  const here = [...changed.values()].filter((card) => card !== undefined).filter(isIn);
  if (had.size === 0 && here.length === 0) return section;
  const staying = new Map(here.flatMap((card) => (isFound && had.has(card.id) ? [[card.id, card]] : [])));
  const coming = here.filter(({ id }) => !staying.has(id)).sort(order);
  const cards: Card[] = [];
  let at = 0;
  for (const known of section.cards) {
    const card = had.has(known.id) ? staying.get(known.id) : known;
    if (!card) continue;
    for (let next = coming[at]; next && order(next, card) < 0; next = coming[++at]) cards.push(next);
    cards.push(card);
  }
  const rest = coming.splice(at);
  if (isWhole) cards.push(...rest);
  // What is not read may be counted already (list-cards.ts).
  const isNew = ({ id }: Card) => !had.has(id);
  const come = here.filter(isNew).length - (isWhole ? 0 : rest.filter(isNew).length);
  const gone = had.size - (here.length - here.filter(isNew).length);
  return { ...section, cards, count: section.count + come - gone };
}
