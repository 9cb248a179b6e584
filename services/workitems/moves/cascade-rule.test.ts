import { ROLES } from '@worktrack/contracts/projects/column-roles';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Role } from '../boards/progress.ts';
import { dependsOnSiblings, followChildren } from './cascade-rule.ts';

describe('a parent follows its children', () => {
  test.each<[Role, Role[], Role | undefined]>([
    // parent, children, where it goes
    ['backlog', ['done'], 'done'],
    ['todo', ['done', 'done'], 'done'],
    ['in_progress', ['done'], 'done'],
    ['review', ['done'], 'done'],
    [null, ['done'], 'done'],
    ['done', ['done'], undefined],
    ['backlog', ['done', 'backlog'], 'in_progress'],
    ['backlog', ['in_progress'], 'in_progress'],
    ['todo', ['review', 'todo'], 'in_progress'],
    ['todo', ['testing'], 'in_progress'],
    // A column without a role counts as one in progress.
    ['backlog', [null], 'in_progress'],
    [null, ['backlog'], undefined],
    [null, ['review'], undefined],
    ['backlog', ['todo', 'backlog'], undefined],
    ['in_progress', ['review', 'done'], undefined],
    ['review', ['in_progress'], undefined],
    // Done is not undone.
    ['done', ['in_progress', 'done'], undefined],
    ['done', ['backlog'], undefined],
    ['backlog', [], undefined],
  ])('from %s, with children in %j: %s', (parent, children, expected) => {
    expect(followChildren(parent, children)).toBe(expected);
  });
});

test('if siblings are said not to matter, they do not', () => {
  const column = fc.constantFrom(...ROLES, null);
  fc.assert(
    fc.property(column, column, fc.array(column), (parent, child, siblings) => {
      fc.pre(!dependsOnSiblings(parent, child));
      expect(followChildren(parent, [child, ...siblings])).toBe(followChildren(parent, [child]));
    }),
  );
});
