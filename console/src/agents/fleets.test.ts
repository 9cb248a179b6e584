import { expect, test } from 'vitest';
import { byFleet, fleetOf } from './fleets.ts';

test.each([
  ['nightly-1', 'nightly'],
  ['nightly-012', 'nightly'],
  ['nightly 3', 'nightly'],
  ['nightly (3)', 'nightly'],
  ['worker12', 'worker'],
  ['nightly-12-7f3a9c01', 'nightly'],
  ['ci/6f0c9a4e-52bd-4c0f-9a0d-2f6f8a1f3b77', 'ci'],
  ['claude-opus-4.5', 'claude-opus'],
  // Words that happen to consist of these letters, and names of nothing else.
  ['night-facade', 'night-facade'],
  ['reviewer', 'reviewer'],
  ['42', '42'],
  ['', ''],
  ['エージェント-7', 'エージェント'],
])('%j belongs to the fleet %j', (agent, fleet) => expect(fleetOf(agent)).toBe(fleet));

test('three or more of a fleet are together where the first of them was, and fewer are not', () => {
  const items = ['b-1', 'a-1', 'c', 'b-2', 'a-2', 'b-3'].map((agent) => ({ lease: { agent } }));
  expect(byFleet(items).map(({ fleet, items }) => [fleet, items.map(({ lease }) => lease.agent)])).toEqual([
    ['b', ['b-1', 'b-2', 'b-3']],
    [undefined, ['a-1']],
    [undefined, ['c']],
    [undefined, ['a-2']],
  ]);
});

test('a name made to be slow is not', () => {
  expect(fleetOf(`${'-1'.repeat(100)}x`)).toMatch(/x$/);
  expect(fleetOf(`a${'-1'.repeat(100)}`)).toBe('a');
  expect(fleetOf(`${'f1'.repeat(100)}g`)).toMatch(/g$/);
});
