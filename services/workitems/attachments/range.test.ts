import { expect, test } from 'vitest';
import { requestedSpan } from './range.ts';

test.each([
  [undefined, 100, 'whole'],
  ['bytes=0-9', 100, { start: 0, end: 9 }],
  ['bytes=90-', 100, { start: 90, end: 99 }],
  ['bytes=-10', 100, { start: 90, end: 99 }],
  ['bytes=-1000', 100, { start: 0, end: 99 }],
  ['bytes=50-1000', 100, { start: 50, end: 99 }],
  ['bytes=100-', 100, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=9-5', 100, 'whole'],
  ['bytes=-0', 100, 'unsatisfiable'],
  ['bytes=-', 100, 'whole'],
  ['bytes=0-1,50-51', 100, 'whole'],
  ['lines=0-1', 100, 'whole'],
  ['nonsense', 100, 'whole'],
] as const)('%s of %i bytes means %j', (header, sizeBytes, span) => {
  expect(requestedSpan(header, sizeBytes)).toEqual(span);
});
