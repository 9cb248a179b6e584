import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { describe, expect, test } from 'vitest';
import {
  type CardPage,
  type CardPages,
  cardsOf,
  partOf,
  positionAt,
  totalOf,
  withCard,
  withNews,
  withoutCard,
} from './card-pages.ts';

const card = (id: string, position: number) => ({ id, position }) as Card;

/** Two pages, and more to come unless it is whole. */
function column({ isWhole }: { isWhole: boolean }): CardPages {
  const pagination = { page: 1, limit: 2, total: isWhole ? 4 : 9, totalPages: 2 };
  return {
    pageParams: [undefined, 'x'],
    pages: [
      { cards: [card('a', 1), card('b', 2)], pagination, nextCursor: 'x' },
      { cards: [card('c', 3), card('d', 4)], pagination, nextCursor: isWhole ? null : 'y' },
    ],
  };
}
const ids = (data: CardPages) =>
  cardsOf(data)
    .map(({ id }) => id)
    .join('');

describe.each([{ isWhole: true }, { isWhole: false }])('a column read to its end: $isWhole', (how) => {
  const data = column(how);
  const total = totalOf(data);

  test.each([
    [0, 'Xabcd'],
    [1.5, 'aXbcd'],
    [2.5, 'abXcd'],
    [3.5, 'abcXd'],
  ])('a card at position %d is put where it belongs', (position, expected) => {
    const after = withCard(data, card('X', position));
    expect([ids(after), totalOf(after)]).toEqual([expected, total + 1]);
  });

  test('a card that moves within it appears once', () => {
    const after = withCard(data, card('a', 3.5));
    expect([ids(after), totalOf(after)]).toEqual(['bcad', total]);
  });

  test('a card beyond what has been read is counted, and shown only if that is the end of the column', () => {
    const after = withCard(data, card('X', 5));
    expect([ids(after), totalOf(after)]).toEqual([how.isWhole ? 'abcdX' : 'abcd', total + 1]);
  });

  test('removing a card lowers the count, removing one that was not there does not', () => {
    expect([ids(withoutCard(data, 'b')), totalOf(withoutCard(data, 'b'))]).toEqual(['acd', total - 1]);
    expect(withoutCard(data, 'X')).toBe(data);
  });
});

test('what is meant of a column is known once all of it was read', () => {
  const isMeant = ({ id }: Card) => id === 'b' || id === 'd';
  expect(partOf(column({ isWhole: false }), isMeant)).toBeUndefined();
  expect(partOf(undefined, isMeant)).toBeUndefined();
  const part = partOf(column({ isWhole: true }), isMeant) as CardPages;
  expect([ids(part), totalOf(part)]).toEqual(['bd', 2]);
  expect(ids(withCard(part, card('X', 5)))).toBe('bdX');
});

test.each([
  [0, 0],
  [1, 1.5],
  [4, 5],
])('position %d is between its neighbours', (at, expected) => {
  expect(positionAt(cardsOf(column({ isWhole: true })), at)).toBe(expected);
});

test('of a page that was read before some cards changed, the newer of each is shown', () => {
  const at = (id: string, position: number, version: number, boardColumnId = 'here') =>
    ({ id, position, version, boardColumnId }) as Card;
  const cards = [at('a', 1, 1), at('b', 2, 1), at('c', 3, 5), at('d', 4, 1)];
  const page: CardPage = { cards, pagination: { page: 1, limit: 4, total: 9, totalPages: 3 }, nextCursor: 'x' };
  const news = new Map([
    // Optimistic: its version is still that which was read.
    ['a', at('a', 2.5, 1)],
    ['b', at('b', 1, 2, 'elsewhere')],
    ['c', at('c', 0, 4)],
    ['d', undefined],
    ['e', at('e', 1.5, 1)],
  ]);
  const seen = (isFirst: boolean) => {
    const { cards: shown, pagination } = withNews(page, news, ({ boardColumnId }) => boardColumnId === 'here', isFirst);
    return [shown.map(({ id }) => id).join(''), pagination.total];
  };
  expect(seen(true)).toEqual(['eac', 8]);
  expect(seen(false)).toEqual(['ac', 7]);
});
