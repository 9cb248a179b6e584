import { EVENT_TYPES, PERMISSION_TO_SEE } from '@worktrack/contracts/events/event';
import type { EventPattern } from '@worktrack/contracts/events/webhook';
import { expect, test } from 'vitest';
import { chosenOf, PERMISSION_OF_KIND, typesOf } from './event-types.ts';

test('the types, and who may see them, are those of the contract', () => {
  expect(PERMISSION_OF_KIND).toEqual(PERMISSION_TO_SEE);
});

test.each<[EventPattern[]]>([[['*']], [['work_item.*', 'key.*']], [['feedback.*', ...EVENT_TYPES.slice(0, 2)]]])(
  'a webhook’s event types are selected as they were chosen: %s',
  (types) => {
    expect(typesOf(chosenOf(types))).toEqual(types);
  },
);
