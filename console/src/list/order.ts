import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { SortKey } from '@worktrack/contracts/work-items/lists/list-filters';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { CHOICES, isChosen } from '../parts/item/plain-fields.ts';

type Value = string | number | null;
const VALUES: Readonly<Record<Exclude<SortKey, PlainField>, (card: Card) => Value>> = {
  createdAt: ({ id }) => id,
  updatedAt: ({ updatedAt }) => updatedAt,
  title: ({ title }) => title.toLowerCase(),
  assignee: ({ assignee }) => assignee?.toLowerCase() ?? null,
};

/** Of what is chosen, the place among the choices. Days and numbers are compared as they are. */
function valueIn(key: string): (card: Card) => Value {
  if (!isChosen(key)) return VALUES[key as keyof typeof VALUES] ?? ((card) => card[key as PlainField]);
  const places = new Map<string | null, number>(CHOICES[key].values.map((value, at) => [value, at]));
  return (card) => places.get(card[key]) ?? null;
}

export type Order = (a: Card, b: Card) => number;

/** The order of a list, for what comes into it. @param sort as the service takes it, such as `priority,-updatedAt`; undefined: newest first */
export function orderOf(sort: string | undefined): Order {
  const keys = sort?.split(',').map((part) => part.trim()) ?? [];
  const by = keys.map((name) => ({
    of: valueIn(name.replace(/^-/, '')),
    sign: name.startsWith('-') ? -1 : 1,
  }));
  return (a, b) => {
    for (const { of, sign } of by) {
      const [one, other] = [of(a) ?? null, of(b) ?? null];
      if (one === other) continue;
      // What has none comes last in both directions.
      if (one === null || other === null) return one === null ? 1 : -1;
      return one < other ? -sign : sign;
    }
    return a.id < b.id ? 1 : -1;
  };
}

/** The order of a column. */
export const byPosition: Order = (a, b) => a.position - b.position || (a.id < b.id ? -1 : 1);
