import { EVENT_TYPES, PERMISSION_TO_SEE } from '@worktrack/contracts/events/event';
import type { EventPattern } from '@worktrack/contracts/events/webhook';
import { expect, test } from 'vitest';
import { chosenOf, PERMISSION_OF_KIND, typesOf } from './event-types.ts';

test('the kinds and who may see them are those of the contract', () => {
  expect(PERMISSION_OF_KIND).toEqual(PERMISSION_TO_SEE);
});

test.each<[EventPattern[]]>([[['*']], [['work_item.*', 'key.*']], [['feedback.*', ...EVENT_TYPES.slice(0, 2)]]])(
  'what a webhook asks for is chosen as it was: %s',
  (types) => {
    expect(typesOf(chosenOf(types))).toEqual(types);
  },
);
