import { expect, test } from 'vitest';
import { z } from 'zod';
import { several } from './several.ts';

test.each([
  ['ada', ['ada']],
  ['ada,grace', ['ada', 'grace']],
  ['Lovelace, Ada', ['Lovelace, Ada']],
  [String.raw`Lovelace\,Ada`, ['Lovelace,Ada']],
  [String.raw`Lovelace\,Ada,Hopper\, Grace`, ['Lovelace,Ada', 'Hopper, Grace']],
  [String.raw`CORP\ada,CORP\grace`, [String.raw`CORP\ada`, String.raw`CORP\grace`]],
  ['CORP\\\\,CORP\\\\\\,ada\\', ['CORP\\', 'CORP\\,ada\\']],
  // A list says itself where each value ends.
  [
    ['Lovelace,Ada', String.raw`CORP\,ada`],
    ['Lovelace,Ada', String.raw`CORP\,ada`],
  ],
])('of names in %j there are %j', (given, expected) => {
  expect(several(z.string(), { keepsSpaced: true }).parse(given)).toEqual(expected);
});
