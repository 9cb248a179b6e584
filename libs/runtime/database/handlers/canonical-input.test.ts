import { allOperations } from '@worktrack/contracts/catalogue';
import { ITEM_FIELDS } from '@worktrack/contracts/fields';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { canonicalInput } from './canonical-input.ts';

const uuid = '0198c0de-0000-7000-8000-000000000001';

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled);
  const reversed: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value).reverse()) {
    Object.defineProperty(reversed, key, {
      value: shuffled(inner),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return reversed;
}

describe('the canonical form of an input', () => {
  test('is the same for any order of keys, and differs for a different value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalInput(shuffled(value))).toEqual(canonicalInput(value));
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        fc.pre(JSON.stringify(canonicalJson(one)) !== JSON.stringify(canonicalJson(other)));
        expect(canonicalInput({ value: one })).not.toEqual(canonicalInput({ value: other }));
      }),
    );
  });

  test('is the same for every form of a name, which it tells apart', () => {
    const one = canonicalInput({ workItemId: 'W-T-1', after: { dependsOn: [uuid, 'W-T-2'] }, title: 'x' });
    const other = canonicalInput({ title: 'x', workItemId: uuid, after: { dependsOn: ['W-T-3', uuid] } });
    expect(one.text).toBe(other.text);
    expect([one.names, other.names]).toEqual([
      [uuid, 'W-T-2', 'W-T-1'],
      ['W-T-3', uuid, uuid],
    ]);
  });

  test.each([
    ['a title', { title: 'W-T-1' }],
    ['a text that only begins as one', { workItemId: 'W-T-1 and more' }],
    ['metadata, whatever its fields are called', { metadata: { id: 'W-T-1', parentId: uuid } }],
  ])('extracts no name from %s', (_, input) => {
    expect(canonicalInput(input)).toEqual({ text: JSON.stringify(input), names: [] });
  });

  test('keeps the order of lists', () => {
    expect(canonicalInput([2, 1])).not.toEqual(canonicalInput([1, 2]));
  });
});

/** Compares what JSON keeps of a value. */
function canonicalJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonicalJson);
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => [key, canonicalJson(inner)]);
}

test('every field by which an operation names an item is known as one', () => {
  const fields = new Set<string>();
  for (const { input } of allOperations()) collect(input, undefined, fields);
  expect([...fields].filter((field) => !ITEM_FIELDS.has(field))).toEqual([]);
  expect(fields.size).toBeGreaterThan(4);
});

/** The names of fields that take a task ID and a UUID, but not just any text. */
function collect(schema: z.core.$ZodType, field: string | undefined, into: Set<string>): void {
  const takes = (value: unknown) => {
    try {
      return (schema as z.ZodType).safeParse(value).success;
    } catch {
      return false;
    }
  };
  if (field !== undefined && takes('W-T-1') && takes(uuid) && !takes('no name of an item') && !takes('example.com'))
    into.add(field);
  const { def } = schema._zod as unknown as {
    readonly def: {
      readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
      readonly element?: z.core.$ZodType;
      readonly innerType?: z.core.$ZodType;
      readonly options?: readonly z.core.$ZodType[];
      readonly in?: z.core.$ZodType;
    };
  };
  for (const [name, inner] of Object.entries(def.shape ?? {})) collect(inner, name, into);
  for (const inner of [def.element, def.innerType, def.in, ...(def.options ?? [])]) {
    if (inner) collect(inner, field, into);
  }
}
