import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFrame, encodeFrame } from './frame.ts';

describe('a frame', () => {
  test('carries any JSON and any bytes intact', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uint8Array({ maxLength: 5_000 }), (value, bytes) => {
        const frame = decodeFrame(encodeFrame(JSON.stringify(value), bytes));
        expect(frame.json).toEqual(JSON.parse(JSON.stringify(value)));
        expect(frame.bytes.equals(bytes)).toBe(true);
      }),
    );
  });

  test('that is truncated anywhere in its JSON is refused, never read as a different one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, where) => {
        const frame = encodeFrame(JSON.stringify(text));
        expect(() => decodeFrame(frame.subarray(0, where % frame.length))).toThrow();
      }),
    );
  });

  test('of another version is refused', () => {
    const frame = encodeFrame('{}');
    frame[0] = 2;
    expect(() => decodeFrame(frame)).toThrow('version');
  });
});
