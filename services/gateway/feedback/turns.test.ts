import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Step, Turns } from './turns.ts';

const PER_TURN = 4;
const STEPS: readonly Step[] = ['check', 'decide', 'answer'];

/** Turns of an event loop that the test turns itself. */
function loop() {
  const scheduled: (() => void)[] = [];
  const turns = new Turns(PER_TURN, (work) => scheduled.push(work));
  const passed: { readonly n: number; readonly step: Step }[] = [];
  let arrived = 0;
  return {
    passed,
    arrive(...steps: readonly Step[]) {
      for (const step of steps) {
        const n = arrived++;
        void turns.pass(step).then(() => passed.push({ n, step }));
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

const times = (count: number, step: Step): Step[] => Array<Step>(count).fill(step);

test('one that comes alone does not wait for the end of a turn', async () => {
  const { arrive, passed, settled } = loop();
  arrive('check');
  await settled();
  expect(passed).toHaveLength(1);
});

test('however they arrive, all pass, each step in their order, and no turn has more than its share', async () => {
  const arrivals = fc.array(fc.array(fc.constantFrom(...STEPS), { maxLength: 3 * PER_TURN }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(arrivals, async (turnsOfArrivals) => {
      const { arrive, passed, turn, settled } = loop();
      let before = 0;
      // Called at the end of a turn.
      const share = () => {
        expect(passed.length - before).toBeLessThanOrEqual(PER_TURN);
        before = passed.length;
      };
      for (const steps of turnsOfArrivals) {
        arrive(...steps);
        await settled();
        share();
        await turn();
      }
      do share();
      while (await turn());
      const all = turnsOfArrivals.flat().map((step, n) => ({ n, step }));
      for (const one of STEPS) {
        expect(passed.filter(({ step }) => step === one)).toEqual(all.filter(({ step }) => step === one));
      }
    }),
    { numRuns: 200 },
  );
});

test('those that wait before one step go together, and first those of which one has waited the longest', async () => {
  const { arrive, passed, turn } = loop();
  arrive(...times(PER_TURN, 'check'));
  arrive('answer', 'check', 'answer', 'decide', 'answer', 'answer', 'decide');
  await turn();
  expect(passed.slice(PER_TURN).map(({ step }) => step)).toEqual(times(4, 'answer'));
  await turn();
  expect(passed.slice(2 * PER_TURN).map(({ step }) => step)).toEqual(['check', 'decide', 'decide']);
});

test('nobody overtakes those who wait, and the loop is let alone once nobody does', async () => {
  const { arrive, passed, turn, settled } = loop();
  arrive(...times(2 * PER_TURN, 'check'));
  await turn();
  arrive('decide');
  await settled();
  expect(passed).toHaveLength(2 * PER_TURN);
  expect(await turn()).toBe(true);
  expect(passed.at(-1)?.step).toBe('decide');
  while (await turn());
  expect(await turn()).toBe(false);
});
