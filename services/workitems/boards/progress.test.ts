import { ROLE_NAMES, ROLES, roleOfName } from '@worktrack/contracts/projects/column-roles';
import { expect, test } from 'vitest';
import { isDone, isHandedOver, isPending } from './progress.ts';

test('pending is what nobody has started, handed over what dependents no longer wait for; no role is neither', () => {
  expect(ROLES.filter(isPending)).toEqual(['backlog', 'todo']);
  expect(ROLES.filter(isHandedOver)).toEqual(['review', 'testing', 'validating', 'to_document', 'done']);
  expect(ROLES.filter(isDone)).toEqual(['done']);
  expect([isPending(null), isHandedOver(null), isDone(null)]).toEqual([false, false, false]);
});

test('each name says one role, in any case and however its words are joined', () => {
  for (const role of ROLES) {
    for (const name of ROLE_NAMES[role]) {
      for (const written of [name, name.toUpperCase(), name.toLowerCase(), name.normalize('NFD'), ` ${name} `]) {
        expect([written, roleOfName(written)]).toEqual([written, role]);
      }
    }
  }
  expect(roleOfName('in-progress')).toBe('in_progress');
  expect(roleOfName('IN_PROGRESS')).toBe('in_progress');
  expect(roleOfName('YAPILACAK')).toBe('todo');
  expect(roleOfName('Blocked')).toBeNull();
});
