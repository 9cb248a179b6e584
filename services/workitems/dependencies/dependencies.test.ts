import { expect, test } from 'vitest';
import { dependenciesOf } from './dependencies.ts';

test.each([
  ['none', undefined, []],
  ['no metadata key', {}, []],
  ['task IDs in any case', { dependsOn: ['w-t-1', ' W-T-2 '] }, ['W-T-1', 'W-T-2']],
  [
    'UUIDs in any case',
    { dependsOn: ['01990000-ABCD-7000-8000-00000000000A'] },
    ['01990000-abcd-7000-8000-00000000000a'],
  ],
  ['one that is named twice', { dependsOn: ['W-T-1', 'w-t-1'] }, ['W-T-1']],
  ['a single one outside of a list', { dependsOn: 'W-T-1' }, ['W-T-1']],
  [
    'what cannot be an id, as it was written',
    { dependsOn: ['the login', 7, null, { id: 1 }] },
    ['the login', '7', 'null', '{"id":1}'],
  ],
  ['something else altogether', { dependsOn: { a: 1 } }, []],
])('%s', (_, metadata, expected) => {
  expect(dependenciesOf(metadata)).toEqual(expected);
});
