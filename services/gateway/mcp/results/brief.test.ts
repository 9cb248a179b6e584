import { expect, test } from 'vitest';
import { briefly } from './brief.ts';

test('of the fields that a tool shows briefly, what is named and what is empty is left out; all else stays as it is', () => {
  const item = { id: 'a', lease: { agent: 'one' }, labels: [], assignee: null, isAiProcessing: false, position: 0 };
  const output = { item, siblings: [item, item], other: item, workItem: null };
  const short = { isAiProcessing: false, position: 0 };
  expect(briefly(output, { item: ['lease'], siblings: ['id', 'lease'], workItem: ['id'] })).toEqual({
    ...{ item: { id: 'a', ...short }, siblings: [short, short], other: item, workItem: null },
  });
});
