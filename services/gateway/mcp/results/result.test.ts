import { allOperations } from '@worktrack/contracts/catalogue';
import type { Operation } from '@worktrack/contracts/operation';
import { level } from '@worktrack/runtime/text/level';
import { bytesOf, cutText, trim } from '@worktrack/runtime/text/trim';
import { writeCursor } from '@worktrack/runtime/validation/cursor';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { outputSchema } from '../../schema.ts';
import { fit, MAX_RESULT_BYTES } from './fit.ts';
import { type ResultShape, resultOf } from './result.ts';

const Entry = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  parent: z.object({ title: z.string() }).nullable(),
  metadata: z.record(z.string(), z.unknown()),
  dependsOn: z.array(z.string()),
});
const Output = z.object({
  text: z.string(),
  item: Entry,
  items: z.array(Entry),
  notFound: z.array(z.string()),
  waves: z.array(z.array(z.string())),
});
type Output = z.infer<typeof Output>;
const schema = outputSchema(Output);
const lists = ['items', 'notFound', 'waves'];

let numbers = 0;
const text = (maxLength: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('x', '語', '\u0001', '🙂', '"'), fc.nat(maxLength))
        .map(([unit, n]) => unit.repeat(n)),
    },
  );
const entry = fc
  .record({
    title: text(500),
    description: text(20_000),
    parent: fc.option(fc.record({ title: text(500) })),
    metadata: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      // As it comes from a service: without `undefined` and whatever else JSON cannot say.
      fc.object({ maxDepth: 3 }).map((free) => JSON.parse(JSON.stringify(free)) as Record<string, unknown>),
      fc.nat(10_000).map((n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key ${i}`, i]))),
      text(50_000).map((note) => ({ note, deep: { list: [note.slice(0, 100)] } })),
    ),
    dependsOn: fc.array(fc.constantFrom('W-T-1', 'W-T-12'), { maxLength: 5 }),
  })
  .map((fields) => ({ id: `id ${numbers++}`, ...fields }));
const output: fc.Arbitrary<Output> = fc.record({
  text: text(60_000),
  item: entry,
  items: fc.oneof(fc.array(entry, { maxLength: 5 }), fc.array(entry, { minLength: 50, maxLength: 100 })),
  notFound: fc.nat(600).map((n) => Array.from({ length: n }, (_, i) => `input ${i} `.padEnd(i % 200, 'x'))),
  waves: fc.array(
    fc.nat(900).map((n) => Array.from({ length: n }, (_, i) => `W-T-${i}`)),
    { maxLength: 30 },
  ),
});

/** Without the counterexample, which may be megabytes: its seed and path reproduce it. */
function reporter({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<[Output]>): void {
  if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance });
}

/** Each field of one is in the other, in which only texts, free-form objects and lists are smaller, and whatever is smaller is marked. */
function expectShortened(cut: Record<string, unknown>, whole: Record<string, unknown>): void {
  for (const [field, before] of Object.entries(whole)) {
    const now = cut[field];
    expect(cut).toHaveProperty([field]);
    if (lists.includes(field) && whole === cut) continue;
    const isRecord = typeof before === 'object' && before !== null && !Array.isArray(before) && field !== 'metadata';
    if (isRecord) expectShortened(now as Record<string, unknown>, before as Record<string, unknown>);
    else if (!lists.includes(field)) {
      const isSame = JSON.stringify(now) === JSON.stringify(before);
      expect(cut[`${field}Truncated`], `${field} in ${JSON.stringify(cut).slice(0, 300)}`).toBe(
        isSame ? undefined : true,
      );
      expect(bytesOf(now)).toBeLessThanOrEqual(bytesOf(before));
    }
  }
}

describe('a result', () => {
  test('is never larger than fits a context, misses no field, and says what was shortened', () => {
    fc.assert(
      fc.property(output, (whole) => {
        const before = JSON.stringify(whole);
        const { value, shown } = fit(whole, schema, lists);
        expect(JSON.stringify(whole)).toBe(before);
        expect(bytesOf(value)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
        if (before.length * 3 <= MAX_RESULT_BYTES) expect(value).toEqual(whole);
        expectShortened(value, whole);
        for (const [index, item] of (value as Output).items.entries())
          expectShortened(item, whole.items[index] as Output['item']);
        for (const list of lists) {
          const count = ((value[list] as unknown[]) ?? []).length;
          expect(count).toBe(shown?.[list] ?? whole[list as 'items'].length);
        }
        if (Object.values(shown ?? {}).length > 0)
          expect(Object.values(shown ?? {}).some((count) => count > 0)).toBe(true);
      }),
      { numRuns: 30, endOnFailure: true, reporter },
    );
  });

  test('leads on until every entry of every list has appeared once, in order', async () => {
    const operation = { name: 'test.read', effect: 'read', input: z.strictObject({}) } as unknown as Operation;
    const result: ResultShape = { schema, lists, paging: 'made here' };
    await fc.assert(
      fc.asyncProperty(output, async (whole) => {
        const seen: Record<string, unknown[]> = { items: [], notFound: [], waves: [] };
        let cursor: unknown;
        do {
          const page = await resultOf(
            { operation, result },
            cursor === undefined ? {} : { cursor },
            'me',
            async () => whole,
          );
          expect(bytesOf(page)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
          const entries = lists.map((list) => page[list] as unknown[]);
          if (page.nextCursor !== undefined) expect(entries.some(({ length }) => length > 0)).toBe(true);
          for (const [index, list] of lists.entries()) seen[list]?.push(...(entries[index] ?? []));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect((seen.items as Output['items']).map(({ id }) => id)).toEqual(whole.items.map(({ id }) => id));
        expect(seen.notFound).toEqual(whole.notFound);
        expect(seen.waves).toHaveLength(whole.waves.length);
      }),
      { numRuns: 20, endOnFailure: true, asyncReporter: async (details) => reporter(details) },
    );
  });

  test('leads on after the last entry shown, whatever came and went before it', async () => {
    const operation = { name: 'test.read', effect: 'read', input: z.strictObject({}) } as unknown as Operation;
    const result: ResultShape = {
      schema: outputSchema(z.object({ ids: z.array(z.string()) })),
      lists: ['ids'],
      paging: 'made here',
    };
    const all = Array.from({ length: 3_000 }, (_, i) => `${i} `.padEnd(40, 'x'));
    const first = await resultOf({ operation, result }, {}, 'me', async () => ({ ids: all }));
    const shown = (first.ids as string[]).length;
    expect(shown).toBeGreaterThan(500);
    const gone = (...places: readonly number[]) => all.filter((_, index) => !places.includes(index));
    for (const ids of [
      ...[['new', ...all], all.slice(3), all, gone(shown - 1), gone(0, shown - 1), gone(1, shown - 2, shown - 1)],
      // All that was shown has been dealt with.
      all.slice(shown),
    ]) {
      const next = await resultOf({ operation, result }, { cursor: first.nextCursor }, 'me', async () => ({ ids }));
      expect((next.ids as string[])[0]).toBe(all[shown]);
    }
    const ids = all.slice(shown + 1);
    const next = await resultOf({ operation, result }, { cursor: first.nextCursor }, 'me', async () => ({ ids }));
    expect((next.ids as string[])[0]).toBe(all[shown + 1]);
  });

  test('accepts a cursor only for what it was made for', async () => {
    const operation = { name: 'test.read', effect: 'read', input: z.strictObject({}) } as unknown as Operation;
    const result: ResultShape = { schema, lists, paging: 'made here' };
    const whole = { items: [], waves: [], notFound: Array.from({ length: 5_000 }, (_, i) => `input ${i}`) };
    const ask = async () => whole;
    const { nextCursor } = await resultOf({ operation, result }, { ids: ['a'] }, 'me', ask);
    const cursor = nextCursor as string;
    expect(cursor.length).toBeLessThanOrEqual(300);
    await resultOf({ operation, result }, { ids: ['a'], cursor }, 'me', ask);
    for (const [input, asker, given] of [
      [{ ids: ['b'] }, 'me', cursor],
      [{ ids: ['a'] }, 'another', cursor],
      [{ ids: ['a'] }, 'me', `${cursor.slice(0, -2)}AA`],
      [{ ids: ['a'] }, 'me', 'made up'],
      // With the right checksum, which anybody can make.
      ...[null, 1, [], { notFound: 5 }, { notFound: [-1, [], []] }, { notFound: [1, {}, []] }].map(
        (position) => [{ ids: ['a'] }, 'me', writeCursor(position, [operation.name, 'me', [['ids', ['a']]]])] as const,
      ),
    ] as const) {
      const asked = resultOf({ operation, result }, { ...input, cursor: given }, asker, ask);
      await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  test('of an operation with pages of its own is requested in shorter pages, from the same place', async () => {
    const input = z.strictObject({
      page: z.int().default(1),
      limit: z.int().default(50),
      cursor: z.string().optional(),
    });
    const operation = { name: 'test.list', effect: 'read', input } as unknown as Operation;
    const result: ResultShape = {
      schema: outputSchema(z.object({ rows: z.array(z.object({ id: z.int(), title: z.string() })) })),
      lists: ['rows'],
      paging: 'own',
    };
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, title: '語'.repeat(id % 300) }));
    const ask = async (asked: Record<string, unknown>) => {
      const { page, limit, cursor } = input.parse(asked);
      const start = cursor === undefined ? (page - 1) * limit : Number(cursor);
      const end = start + limit;
      return { rows: rows.slice(start, end), nextCursor: end < rows.length ? String(end) : null };
    };
    for (const [page, limit] of [
      [1, 400],
      [2, 100],
      [3, 97],
      [2, 150],
    ] as const) {
      const seen: number[] = [];
      let asked: Record<string, unknown> = { page, limit };
      for (;;) {
        const answer = await resultOf({ operation, result }, asked, 'me', ask);
        expect(bytesOf(answer)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
        seen.push(...(answer.rows as { id: number }[]).map(({ id }) => id));
        if (answer.nextCursor === null) break;
        asked = { limit, cursor: answer.nextCursor };
      }
      expect(seen).toEqual(rows.slice((page - 1) * limit).map(({ id }) => id));
    }
  });

  test('of a write that cannot be repeated says how many there are', async () => {
    const operation = { name: 'test.write', effect: 'update', input: z.strictObject({}) } as unknown as Operation;
    const result: ResultShape = { schema, lists, paging: 'none' };
    const whole = { items: [], waves: [['W-T-1']], notFound: Array.from({ length: 5_000 }, (_, i) => `input ${i}`) };
    const answer = await resultOf({ operation, result }, {}, 'me', async () => whole);
    expect(answer).toMatchObject({ truncated: true, counts: { items: 0, notFound: 5_000, waves: 1 } });
    expect(bytesOf(answer)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
  });
});

test('no tool result has a field that a truncation mark would hide', () => {
  for (const { output: shape, mcp } of allOperations()) {
    if (!mcp) continue;
    const names = JSON.stringify(outputSchema(shape)).match(/"(\w+(Truncated|Count))":/g) ?? [];
    expect(names.filter((name) => name.endsWith('Truncated":'))).toEqual([]);
  }
});

test('the largest are shortened first, and only as much as necessary', () => {
  expect(level([1, 2, 3], 6)).toBe(Number.POSITIVE_INFINITY);
  expect(level([10, 100, 1_000], 300)).toBe(190);
  expect(level([100, 100], 50)).toBe(25);
  expect(level([5, 5], -1)).toBe(0);
  expect(level([], 0)).toBe(Number.POSITIVE_INFINITY);
});

test('a text is cut between two characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
      fc.integer({ min: 10, max: 100 }),
      (given, maxBytes) => {
        const cut = cutText(given, maxBytes);
        expect(bytesOf(cut)).toBeLessThanOrEqual(Math.max(maxBytes, bytesOf('…')));
        expect(cut.isWellFormed()).toBe(given.isWellFormed());
        if (cut !== given) expect(given.startsWith(cut.slice(0, -1))).toBe(true);
      },
    ),
  );
});

test('any JSON is trimmed to the bytes that it may have', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 100, max: 2_000 }), (value, maxBytes) => {
      const large = {
        value,
        text: 'x'.repeat(3_000),
        list: Array.from({ length: 500 }, (_, i) => i),
        [`k${maxBytes}`]: value,
      };
      expect(bytesOf(trim(large, maxBytes))).toBeLessThanOrEqual(maxBytes);
    }),
  );
});
