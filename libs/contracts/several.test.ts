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

test.each([
  ['a text', ','.repeat(1_000_000)],
  ['a list', Array<string>(500_000).fill('')],
])('of %s with far too many values, only as many are looked at as say so', (_, given) => {
  for (const keepsSpaced of [true, false]) {
    let looks = 0;
    const value = z.string().refine(() => ++looks > 0);
    expect(several(value, { keepsSpaced }).safeParse(given).error?.issues).toMatchObject([
      { message: 'must be 1 to 20 values' },
    ]);
    expect(looks).toBe(21);
  }
});
