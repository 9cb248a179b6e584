import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';

const lists = fc.array(fc.array(fc.jsonValue(), { maxLength: 20 }), { maxLength: 5 });

test('what is taken from any lists is the beginning of each, fits, and is all unless marked as truncated', () => {
  fc.assert(
    fc.property(lists, fc.nat(2_000), (given, bytes) => {
      const budget = new AnswerBudget(bytes);
      const taken = given.map((list) => budget.take(list));
      for (const [i, list] of taken.entries()) expect(list).toEqual(given[i]?.slice(0, list.length));
      const used = taken.flat().reduce((sum: number, item) => sum + Buffer.byteLength(JSON.stringify(item)) + 1, 0);
      expect(used).toBeLessThanOrEqual(bytes);
      expect(budget.isTruncated).toBe(taken.flat().length < given.flat().length);
    }),
  );
});
