import { expect, test } from 'vitest';
import { splitMatch } from './split-match.ts';

const indexes = [
  { fields: ['o', '_id'], condition: {} },
  { fields: ['o', 'p', '_id'], condition: {} },
  { fields: ['o', 'p', 'type', '_id'], condition: {} },
  { fields: ['o', 'found'], condition: {} },
  { fields: ['o', 'taskId'], condition: { eventType: 'deleted' } },
];

test.each([
  ['all that an index covers stays one', { o: 1, p: 2 }, [{ o: 1, p: 2 }]],
  ['the longest covered beginning comes first', { type: 3, o: 1, p: 2, who: 4 }, [{ o: 1, p: 2, type: 3 }, { who: 4 }]],
  ['of equals the one that is declared first is taken', { o: 1, p: 2, found: 3 }, [{ o: 1, p: 2 }, { found: 3 }]],
  ['a range ends what is covered', { o: 1, p: { $gt: 2 }, type: 3 }, [{ o: 1, p: { $gt: 2 } }, { type: 3 }]],
  ['a choice does not', { o: 1, p: { $in: [2] }, type: 3 }, [{ o: 1, p: { $in: [2] }, type: 3 }]],
  ['what is no field is never covered', { o: 1, $or: [{ a: 1 }] }, [{ o: 1 }, { $or: [{ a: 1 }] }]],
  ['what no index begins with stays one', { who: 1, p: 2 }, [{ who: 1, p: 2 }]],
  [
    'a partial index covers its condition',
    { o: 1, taskId: 2, eventType: 'deleted' },
    [{ o: 1, taskId: 2, eventType: 'deleted' }],
  ],
  ['and is of no use without it', { o: 1, taskId: 2 }, [{ o: 1 }, { taskId: 2 }]],
])('%s', (_what, match, split) => {
  expect(splitMatch(match, indexes)).toEqual(split);
});
