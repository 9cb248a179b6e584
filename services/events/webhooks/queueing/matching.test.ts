import {
  EVENT_TYPES,
  type EventType,
  type LoggedEvent,
  PERMISSION_TO_SEE,
  SUBJECT_KINDS,
} from '@worktrack/contracts/events/event';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { describe, expect, test } from 'vitest';
import { loses, wants } from './matching.ts';

const eventOf = (type: EventType, projectId?: string): LoggedEvent => ({
  ...{ seq: 1, id: 'e', type, at: '2026-03-02T09:30:00.000Z', actor: null, revision: 1, data: {} },
  subject: { kind: SUBJECT_KINDS.find((kind) => type.startsWith(`${kind}.`)) ?? 'webhook', id: 's' },
  ...(projectId !== undefined && { projectId }),
});
const ALL = { types: ['*' as const], projectId: null, permissions: [...PERMISSIONS] };

describe('a webhook wants', () => {
  test.each([
    ['*', 'key.revoked', true],
    ['work_item.*', 'work_item.moved', true],
    ['work_item.*', 'webhook.created', false],
    ['work_item.moved', 'work_item.moved', true],
    ['work_item.moved', 'work_item.created', false],
    ['board.*', 'board.created', true],
  ] as const)('of %s the type %s: %s', (pattern, type, expected) => {
    expect(wants({ ...ALL, types: [pattern] }, eventOf(type))).toBe(expected);
  });

  test('what one of several patterns names', () => {
    expect(wants({ ...ALL, types: ['key.*', 'user.created'] }, eventOf('user.created'))).toBe(true);
  });

  test('for a project, only its events', () => {
    const ofProject = { ...ALL, projectId: 'p' };
    expect(wants(ofProject, eventOf('work_item.moved', 'p'))).toBe(true);
    expect(wants(ofProject, eventOf('work_item.moved', 'q'))).toBe(false);
    expect(wants(ofProject, eventOf('key.created'))).toBe(false);
  });

  test('nothing that its permissions do not allow it to see', () => {
    for (const permission of PERMISSIONS) {
      for (const type of EVENT_TYPES) {
        const event = eventOf(type);
        const expected = PERMISSION_TO_SEE[event.subject.kind] === permission;
        expect(wants({ ...ALL, permissions: [permission] }, event), `${permission} ${type}`).toBe(expected);
      }
    }
  });
});

describe('a user loses webhooks', () => {
  const changed = (changes: object, id = 'u') => ({
    ...eventOf('user.updated'),
    subject: { kind: 'user' as const, id },
    data: { changes },
  });
  const webhook = {
    ...{ maker: { userId: 'u' }, projectId: 'p', types: ['work_item.moved' as const, 'board.*' as const] },
    permissions: [...PERMISSIONS],
  };
  const cases: readonly (readonly [changes: object, loses: boolean])[] = [
    [{ disabled: { from: false, to: true } }, true],
    [{ disabled: { from: true, to: false } }, false],
    [{ name: { from: 'A', to: 'B' } }, false],
    [{}, false],
    [{ projects: { from: null, to: ['q'] } }, true],
    [{ projects: { from: null, to: ['p', 'q'] } }, false],
    [{ projects: { from: ['q'], to: null } }, false],
    [{ role: { from: 'admin', to: 'of which nothing is said' } }, true],
  ];
  test.each(cases)('by %j: %s', (changes, expected) => expect(loses(changed(changes), webhook)).toBe(expected));

  const ENOUGH: readonly Permission[] = ['webhooks:write', 'work-items:read', 'projects:read'];
  test.each<[lost: string, held: readonly Permission[], expected: boolean]>([
    ['nothing that is sent', ENOUGH, false],
    ['webhooks', ENOUGH.slice(1), true],
    ['one kind of several', ENOUGH.slice(0, 2), true],
  ])('whose role has lost %s', (_lost, permissions, expected) => {
    const event = { ...changed({}), data: { changes: {}, permissions } };
    expect(loses(event, webhook)).toBe(expected);
    // All that its key could read when it was made.
    const all = { ...webhook, types: ['*' as const] };
    expect(loses(event, { ...all, permissions: [...ENOUGH] })).toBe(expected);
    expect(loses(event, { ...all, permissions: [...PERMISSIONS] })).toBe(true);
  });

  test('by what happens to another user: no', () => {
    expect(loses(changed({ disabled: { to: true } }, 'v'), webhook)).toBe(false);
  });
});
