import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readCursor, writeCursor } from './cursor.ts';

const LIST = ['projects', 'an organization'];
const Shape = z.tuple([z.int().min(1), z.uuid().nullable()]);

test('a cursor leads back to its place, in its own list only', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.option(fc.uuid()), (page, id) => {
      const cursor = writeCursor([page, id], LIST);
      expect(readCursor(cursor, LIST, Shape)).toEqual([page, id]);
      expect(readCursor(cursor, ['projects', 'another'], Shape)).toBeUndefined();
    }),
  );
});

test('a forged one with a correct checksum is none unless its place has the shape', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (place) => {
      const read = readCursor(writeCursor(place, LIST), LIST, Shape);
      expect(read).toEqual(Shape.safeParse(place).data);
    }),
    { examples: [[{}], [null], [[]], [[1]], [[1, { $gt: '' }]], [[0, null]]] },
  );
});

test('no text makes reading fail', () => {
  const encoded = fc.oneof(fc.string(), fc.constant('{}'), fc.constant('null')).map((text) => Buffer.from(text));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        encoded.map((bytes) => bytes.toString('base64url')),
      ),
      (cursor) => {
        expect(readCursor(cursor, LIST, Shape)).toBeUndefined();
      },
    ),
  );
});
