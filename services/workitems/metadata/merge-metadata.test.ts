import { MetadataInput } from '@worktrack/contracts/metadata';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeMetadata } from './merge-metadata.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The pseudocode of RFC 7396, section 2, word for word. */
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: { [key: string]: Json } =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** Few names, so that patches hit what is there. */
const names = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString');
const { object, withNulls } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 })),
  object: fc.dictionary(names, fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('object')), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  withNulls: fc.dictionary(names, fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.constant(null), tie('withNulls')), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
})) as { object: fc.Arbitrary<{ [key: string]: Json }>; withNulls: fc.Arbitrary<{ [key: string]: Json }> };

describe('a merge of metadata', () => {
  test('is a JSON Merge Patch, whatever is merged into whatever', () => {
    fc.assert(
      fc.property(object, withNulls, (current, patch) => {
        expect(mergeMetadata(current, patch)).toEqual(mergePatch(current, patch));
      }),
    );
  });

  test('changes neither what was there nor what was given', () => {
    fc.assert(
      fc.property(object, withNulls, (current, patch) => {
        const before = structuredClone([current, patch]);
        mergeMetadata(current, patch);
        expect([current, patch]).toEqual(before);
      }),
    );
  });

  test('with the same patch again changes nothing', () => {
    fc.assert(
      fc.property(object, withNulls, (current, patch) => {
        const once = mergeMetadata(current, patch);
        expect(mergeMetadata(once, patch)).toEqual(once);
      }),
    );
  });

  test('leaves no null behind, at any depth of objects', () => {
    expect(mergeMetadata({}, { a: { b: null, c: { d: null } }, e: null })).toEqual({ a: { c: {} } });
  });

  test('replaces arrays as a whole, and keeps the nulls in them', () => {
    expect(mergeMetadata({ a: [1, 2, 3] }, { a: [null] })).toEqual({ a: [null] });
  });

  test('does not reach the prototype of objects', () => {
    const merged = mergeMetadata({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('metadata as given by a caller', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  test.each([
    ['a $ at the start of a key', { $set: 1 }, '$set'],
    ['a dot in a key', { 'a.b': 1 }, 'a.b'],
    ['__proto__', JSON.parse('{"__proto__":{}}'), '__proto__'],
    ['NUL in a key', { 'a\0b': 1 }, 'a\0b'],
    ['any of these below', { a: { $b: 1 } }, 'a.$b'],
    ['any of these in an array', { a: [{ $b: 1 }] }, 'a.0.$b'],
    ['more than 32 levels', nested(33), Array(32).fill('a').join('.')],
    ['an array', [1], ''],
    ['a string', 'a', ''],
    ['null', null, ''],
  ])('is refused with %s, with the path of the fault', (_, metadata, path) => {
    const { error } = MetadataInput.safeParse(metadata);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  test.each([
    ['a key with $ later on', { a$: 1 }],
    ['an empty key', { '': 1 }],
    ['names of built-in properties', { constructor: 1, toString: 2 }],
    ['32 levels', nested(32)],
    ['nothing', {}],
  ])('may have %s', (_, metadata) => {
    expect(MetadataInput.parse(metadata)).toEqual(metadata);
  });
});
