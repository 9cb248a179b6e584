import { exampleCard } from '@worktrack/contracts/work-items/lists/cards';
import { expect, test } from 'vitest';
import { byPosition } from './order.ts';
import { type Section, withCards } from './section.ts';

const at = (position: number, id = `${position}`) => ({ ...exampleCard, id, position });
const section = (positions: readonly number[], cursor: string | null, count = positions.length): Section => ({
  ...{ key: undefined, name: null, isAtLeast: false, cursor, count },
  cards: positions.map((position) => at(position)),
});
const how = {
  order: byPosition,
  isFound: false,
  isIn: ({ boardColumnId }: typeof exampleCard) => boardColumnId !== '',
};
const shown = ({ cards, count }: Section) => [cards.map(({ id }) => id).join(' '), count];

test.each([
  [
    'what is new comes to its place',
    section([1, 3], null),
    [
      ['2', at(2)],
      ['0', at(0)],
      ['4', at(4)],
    ],
    ['0 1 2 3 4', 5],
  ],
  [
    'beyond what was read it is not counted',
    section([1, 3], 'next', 9),
    [
      ['2', at(2)],
      ['4', at(4)],
    ],
    ['1 2 3', 10],
  ],
  ['what was read and goes there stays counted', section([1, 3], 'next', 9), [['1', at(5, '1')]], ['3', 9]],
  [
    'several change places',
    section([1, 2, 3], null),
    [
      ['1', at(5, '1')],
      ['3', at(0, '3')],
    ],
    ['3 2 1', 3],
  ],
  [
    'what is gone, or in another group, is not there',
    section([1, 2, 3], null),
    [
      ['1', undefined],
      ['2', { ...at(2), boardColumnId: '' }],
      ['7', undefined],
    ],
    ['3', 1],
  ],
] as const)('%s', (_, before, changed, after) => {
  expect(shown(withCards(before, new Map<string, typeof exampleCard | undefined>(changed), how))).toEqual(after);
});

test('what a search has found stays where it is', () => {
  const changed = new Map([['1', at(5, '1')]]);
  expect(shown(withCards(section([1, 3], null), changed, { ...how, isFound: true }))).toEqual(['1 3', 2]);
});

test('ten thousand that change at once are placed with as few comparisons as it takes to sort them', () => {
  const all = Array.from({ length: 10_000 }, (_, position) => position);
  let comparisons = 0;
  const order = (a: typeof exampleCard, b: typeof exampleCard) => {
    comparisons++;
    return byPosition(a, b);
  };
  const changed = new Map(all.map((position) => [`${position}`, at(-position, `${position}`)]));
  const { cards } = withCards(section([...all, 20_000], null), changed, { ...how, order });
  expect(cards.length).toBe(10_001);
  expect(cards[0]?.id).toBe('9999');
  expect(comparisons).toBeLessThan(200_000);
});
