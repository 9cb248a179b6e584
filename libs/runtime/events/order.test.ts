import type { PublishedEvent } from '@worktrack/contracts/events/event';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrderOfRevisions, PublishedRevisions } from './order.ts';

const event = (id: string, subject: string, revision: number) =>
  ({ id, subject: { kind: 'work_item', id: subject }, revision }) as PublishedEvent;

test.each<[string, PublishedEvent[], string[]]>([
  ['of one subject', [event('1', 'a', 2), event('2', 'a', 1)], ['2', '1']],
  ['of one revision, by id', [event('2', 'a', 1), event('1', 'a', 1)], ['1', '2']],
  [
    'of several subjects, each at the places that it has',
    [event('1', 'a', 2), event('2', 'b', 7), event('3', 'a', 1), event('4', 'b', 8)],
    ['3', '2', '1', '4'],
  ],
])('events %s', (_, events, ids) => {
  expect(inOrderOfRevisions(events).map(({ id }) => id)).toEqual(ids);
});

test('every event is there once, and those of a subject are in the order of its revisions, whatever the clocks say', () => {
  const events = fc.uniqueArray(
    fc.record({
      id: fc.string({ unit: fc.constantFrom('0', '1', '2', '3'), minLength: 4, maxLength: 4 }),
      subject: fc.constantFrom('a', 'b', 'c'),
      revision: fc.nat(9),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(events, (made) => {
      const ordered = inOrderOfRevisions(made.map(({ id, subject, revision }) => event(id, subject, revision)));
      expect(new Set(ordered.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
      for (const its of Map.groupBy(ordered, ({ subject }) => subject.id).values()) {
        const revisions = its.map(({ revision }) => revision);
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      }
    }),
  );
});

test('if a subject’s events begin with its first, or continue where the last ones ended, nothing earlier is looked for', () => {
  const published = new PublishedRevisions();
  expect([...published.openIn([event('1', 'a', 1), event('2', 'b', 7)])]).toEqual([['b', 7]]);
  published.published([event('1', 'a', 1), event('2', 'b', 7)]);
  expect(published.openIn([event('3', 'a', 2), event('4', 'a', 2), event('6', 'b', 7), event('5', 'a', 3)]).size).toBe(
    0,
  );
  expect([
    ...published.openIn([event('7', 'a', 2), event('8', 'a', 4), event('9', 'b', 8), event('9', 'b', 11)]),
  ]).toEqual([
    ['a', 4],
    ['b', 11],
  ]);
});
