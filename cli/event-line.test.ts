import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { expect, test } from 'vitest';
import { eventLine, historyLine } from './event-line.ts';

const EVENT: LoggedEvent = {
  seq: 1042,
  id: '00000000-0000-7000-8000-000000001042',
  type: 'work_item.moved',
  at: '2026-11-22T14:07:01.000Z',
  actor: { userId: 'ada', keyId: 'k', agent: 'claude' },
  subject: { kind: 'work_item', id: 'i', taskId: 'W-T-12' },
  revision: 3,
  data: { fromColumn: 'To Do', toColumn: 'Review' },
};
const START = '1042  2026-11-22 14:07:01  work_item.moved';

test.each<[what: string, change: Partial<LoggedEvent>, line: string]>([
  ['what an agent did', {}, `${START}  W-T-12  fromColumn="To Do" toColumn=Review  by claude`],
  ['what a person did', { actor: { userId: 'ada', keyId: 'k' }, data: {} }, `${START}  W-T-12  by ada`],
  ['what nobody in particular did', { actor: null, data: {} }, `${START}  W-T-12`],
  ['what has no task ID', { subject: { kind: 'board', id: 'b' }, data: {}, actor: null }, `${START}  b`],
  [
    'changes, by the names of their fields',
    { data: { changes: { title: { from: 'a', to: 'b' }, priority: {} } }, actor: null },
    `${START}  W-T-12  changes=title,priority`,
  ],
  [
    'a long text, shortened',
    { data: { text: 'x'.repeat(1_000) }, actor: null },
    `${START}  W-T-12  text=${'x'.repeat(155)}…`,
  ],
  [
    'characters that would be commands to a terminal, escaped',
    { data: { title: '\u001b[2J\u202e\u009b1m\n' }, actor: { userId: 'u', keyId: 'k', agent: '\u001b]0;x\u0007' } },
    `${START}  W-T-12  title="\\u001b[2J\\u202e\\u009b1m\\n"  by "\\u001b]0;x\\u0007"`,
  ],
])('a line shows %s', (_, change, line) => {
  expect(eventLine({ ...EVENT, ...change })).toBe(line);
});

test('an entry of a history is a line like that', () => {
  const entry = {
    ...({ id: 'e', eventType: 'moved', createdAt: '2026-11-22T14:07:01.000Z' } as const),
    data: { fromColumn: 'To Do', toColumn: 'Done' },
    actor: { userId: 'ada', keyId: 'k', agent: 'claude' },
  };
  expect(historyLine(entry)).toBe('2026-11-22 14:07:01  moved  fromColumn="To Do" toColumn=Done  by claude');
});
