import { asPart, valuesIn } from '@worktrack/contracts/query-values';
import { listProjectCards } from '@worktrack/contracts/work-items/lists/cards';
import fc from 'fast-check';
import { expect, test } from 'vitest';

// They are stored without spaces around them.
const name = fc.string({ unit: fc.constantFrom('a', ',', '\\', ' '), minLength: 1 }).map((text) => `a${text}`.trim());
const names = fc.array(name, { minLength: 1, maxLength: 4 });

test('whatever names are joined, the service and the console take them apart into the same ones', () => {
  const id = crypto.randomUUID();
  const takenApart = (assignee: string) => listProjectCards.input.parse({ id, assignee }).assignee;
  fc.assert(
    fc.property(names, (all) => {
      const text = all.map(asPart).join(',');
      expect(takenApart(text)).toEqual(all);
      expect(valuesIn(text)).toEqual(all);
    }),
    { numRuns: 2_000 },
  );
});
