import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dependsOnSiblings, followChildren } from './cascade-rule.ts';

describe('a parent follows its children', () => {
  test.each([
    // parent, children, where it goes
    ['Backlog', ['Done'], 'Done'],
    ['To Do', ['Done', 'Done'], 'Done'],
    ['In Progress', ['Done'], 'Done'],
    ['Review', ['Done'], 'Done'],
    ['My column', ['Done'], 'Done'],
    ['Done', ['Done'], undefined],
    ['Backlog', ['Done', 'Backlog'], 'In Progress'],
    ['Backlog', ['In Progress'], 'In Progress'],
    ['To Do', ['Review', 'To Do'], 'In Progress'],
    ['To Do', ['Testing'], 'In Progress'],
    // A column of any other name counts as In Progress.
    ['Backlog', ['My column'], 'In Progress'],
    ['My column', ['Backlog'], undefined],
    ['My column', ['Review'], undefined],
    ['Backlog', ['To Do', 'Backlog'], undefined],
    ['In Progress', ['Review', 'Done'], undefined],
    ['Review', ['In Progress'], undefined],
    // Done is not undone.
    ['Done', ['In Progress', 'Done'], undefined],
    ['Done', ['Backlog'], undefined],
    ['Backlog', [], undefined],
    // Names are exact: a different case is a different column.
    ['Backlog', ['done'], 'In Progress'],
  ])('from %s, with children in %j: %s', (parent, children, expected) => {
    expect(followChildren(parent, children)).toBe(expected);
  });
});

test('if siblings are said not to matter, they do not', () => {
  const column = fc.constantFrom(...STANDARD_COLUMNS, 'My column');
  fc.assert(
    fc.property(column, column, fc.array(column), (parent, child, siblings) => {
      fc.pre(!dependsOnSiblings(parent, child));
      expect(followChildren(parent, [child, ...siblings])).toBe(followChildren(parent, [child]));
    }),
  );
});
