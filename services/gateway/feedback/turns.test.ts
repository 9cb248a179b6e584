import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const PER_TURN = 4;

/** Turns of an event loop that the test turns itself. */
function loop() {
  const scheduled: (() => void)[] = [];
  const turns = new Turns(PER_TURN, (work) => scheduled.push(work));
  const passed: number[] = [];
  let arrived = 0;
  return {
    passed,
    arrive(count: number) {
      for (let i = 0; i < count; i++) {
        const n = arrived++;
        void turns.pass().then(() => passed.push(n));
      }
    },
    /** @returns whether there was anything to do */
    async turn(): Promise<boolean> {
      const works = scheduled.splice(0);
      for (const work of works) work();
      await settled();
      return works.length > 0;
    },
    settled,
  };
}

/** After all that is only waiting for microtasks. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('one that comes alone does not wait for the end of a turn', async () => {
  const { arrive, passed, settled } = loop();
  arrive(1);
  await settled();
  expect(passed).toEqual([0]);
});

test('however they arrive, all pass, in their order, and no turn has more than its share', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 3 * PER_TURN }), { maxLength: 12 }), async (arrivals) => {
      const { arrive, passed, turn, settled } = loop();
      let before = 0;
      // Called at the end of a turn.
      const share = () => {
        expect(passed.length - before).toBeLessThanOrEqual(PER_TURN);
        before = passed.length;
      };
      for (const count of arrivals) {
        arrive(count);
        await settled();
        share();
        await turn();
      }
      do share();
      while (await turn());
      expect(passed).toEqual(Array.from({ length: arrivals.reduce((sum, count) => sum + count, 0) }, (_, i) => i));
    }),
    { numRuns: 200 },
  );
});

test('nobody overtakes those who wait, and the loop is let alone once nobody does', async () => {
  const { arrive, passed, turn, settled } = loop();
  arrive(2 * PER_TURN);
  await turn();
  arrive(1);
  await settled();
  expect(passed).toHaveLength(2 * PER_TURN);
  expect(await turn()).toBe(true);
  expect(passed.at(-1)).toBe(2 * PER_TURN);
  while (await turn());
  expect(await turn()).toBe(false);
});
