import { expect, test } from 'vitest';
import { described, sampleState } from './mark.ts';

test('the mark is read as it was written, and nothing else is mistaken for it', () => {
  for (const state of ['making', 'made', 'removing'] as const) {
    expect(sampleState({ description: described('A shop', state) })).toBe(state);
  }
  for (const description of ['', 'worktrack-sample', 'about worktrack-sample: made', 'worktrack-sample: gone']) {
    expect(sampleState({ description })).toBeUndefined();
  }
});
