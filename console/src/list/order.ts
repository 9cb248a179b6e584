import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { SortKey } from '@worktrack/contracts/work-items/lists/list-filters';
import { PRIORITIES } from '../parts/item/item-values.ts';
import type { WrittenField } from '../parts/item/plain-fields.ts';

type Value = string | number | null;
/** Days and numbers are compared as they are. */
const VALUES: Readonly<Record<Exclude<SortKey, WrittenField>, (card: Card) => Value>> = {
  priority: ({ priority }) => PRIORITIES.indexOf(priority),
  createdAt: ({ id }) => id,
  updatedAt: ({ updatedAt }) => updatedAt,
  title: ({ title }) => title.toLowerCase(),
  assignee: ({ assignee }) => assignee?.toLowerCase() ?? null,
};

const valueIn = (key: string) =>
  VALUES[key as keyof typeof VALUES] ?? ((card: Card): Value => card[key as WrittenField]);

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
