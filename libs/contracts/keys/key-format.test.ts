import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assembleKey,
  BASE62,
  CODE_MARK,
  isWellFormedKey,
  KEY_LENGTH,
  KEY_MARK,
  KEY_RANDOM_LENGTH,
  PREFIX_SHAPE,
  prefixOf,
  SESSION_MARK,
} from './key-format.ts';

const digit = fc.constantFrom(...BASE62);
const random = fc.string({ unit: digit, minLength: KEY_RANDOM_LENGTH, maxLength: KEY_RANDOM_LENGTH });

describe('an API key', () => {
  it('is wt_, 30 characters and their CRC-32 in six base62 digits', () => {
    fc.assert(
      fc.property(random, (characters) => {
        const key = assembleKey(characters);
        const digits = key.slice(3 + KEY_RANDOM_LENGTH);
        const value = [...digits].reduce((sum, each) => sum * BASE62.length + BASE62.indexOf(each), 0);
        expect(key).toHaveLength(KEY_LENGTH);
        expect(key.startsWith(`wt_${characters}`)).toBe(true);
        expect(value).toBe(crc32(characters));
        expect(isWellFormedKey(key)).toBe(true);
        expect(prefixOf(key)).toBe(key.slice(0, 11));
      }),
    );
  });

  it('keeps its checksum algorithm: what scanners have learnt stays right', () => {
    expect(assembleKey('000000000000000000000000000000')).toBe('wt_0000000000000000000000000000002C8GjS');
    expect(assembleKey('0123456789ABCDEFGHIJKLMNOPQRST')).toBe('wt_0123456789ABCDEFGHIJKLMNOPQRST4PMbyp');
  });

  it('is refused before any lookup when one character is mistyped', () => {
    fc.assert(
      fc.property(random, fc.nat(KEY_LENGTH - 1), digit, (characters, at, typed) => {
        const key = assembleKey(characters);
        fc.pre(key[at] !== typed);
        expect(isWellFormedKey(key.slice(0, at) + typed + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('is refused when two neighbours are swapped, when it is truncated, and when anything is around it', () => {
    fc.assert(
      fc.property(random, fc.nat(KEY_LENGTH - 2), (characters, at) => {
        const key = assembleKey(characters);
        fc.pre(key[at] !== key[at + 1]);
        const swapped = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
        for (const wrong of [swapped, key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
          expect(isWellFormedKey(wrong)).toBe(false);
        }
      }),
    );
  });

  it('is never mistaken for a session or a code, nor they for it', () => {
    const marks = [KEY_MARK, SESSION_MARK, CODE_MARK] as const;
    fc.assert(
      fc.property(random, (characters) => {
        for (const mark of marks) {
          const value = assembleKey(characters, mark);
          expect(marks.filter((other) => isWellFormedKey(value, other))).toEqual([mark]);
          expect(prefixOf(value)).toBe(mark + characters.slice(0, 8));
          expect(prefixOf(value)).toMatch(PREFIX_SHAPE);
        }
      }),
    );
  });
});
