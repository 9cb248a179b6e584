import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedJson, MAX_EVENT_DATA_BYTES } from './bounded-data.ts';

describe('the data of an event', () => {
  test('is reported as it is if it is small', () => {
    const data = { changes: { title: { from: 'A', to: 'B' } } };
    expect(JSON.parse(boundedJson(data))).toEqual(data);
  });

  test('leaves out what is too large, and keeps what is small next to it', () => {
    const changes = {
      title: { from: 'A', to: 'B' },
      description: { from: '', to: 'x'.repeat(50_000) },
      metadata: { from: {}, to: { small: [1, 2], large: { list: 'y'.repeat(200_000) } } },
    };
    expect(JSON.parse(boundedJson({ changes }))).toEqual({
      changes: {
        title: changes.title,
        description: { from: '', to: { omitted: true, bytes: 50_002 } },
        metadata: { from: {}, to: { small: [1, 2], large: { list: { omitted: true, bytes: 200_002 } } } },
      },
    });
  });

  test('with too many fields is left out as a whole', () => {
    const metadata = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key ${i}`, 'a value of it']));
    expect(JSON.parse(boundedJson({ changes: { metadata } }))).toEqual({
      changes: { metadata: { omitted: true, bytes: expect.any(Number) } },
    });
  });

  test('is bounded too if it is nothing but names that are too long', () => {
    expect(JSON.parse(boundedJson({ changes: { ['k'.repeat(100_000)]: 1 } }))).toEqual({
      changes: { omitted: true, bytes: expect.any(Number) },
    });
  });

  test('never exceeds the limit, whatever it is', () => {
    const text = fc.integer({ min: 0, max: 40_000 }).map((length) => 'é'.repeat(length));
    const value = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.array(text, { maxLength: 3 }), tie('object')),
      object: fc.dictionary(fc.string({ maxLength: 400 }), tie('value'), { maxKeys: 20 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value.value, { maxKeys: 5 }), (data) => {
        const json = boundedJson(data);
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_EVENT_DATA_BYTES);
        expect(Object.keys(JSON.parse(json)).length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });
});
