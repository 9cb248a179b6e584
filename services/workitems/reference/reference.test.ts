import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startWorkItems, stopWorkItems } from '../testing.ts';
import { whileItStands } from './clock.ts';
import { compareAll } from './compare.ts';
import type { Model } from './reference.ts';
import { type Service, startBoth } from './service.ts';
import { anyStep, stepsSoFar, underWay } from './steps.ts';

/** `MODEL_RUNS=2000 MODEL_TOGETHER=8 npm test -- services/workitems/reference` is a long run; `MODEL_SEED` repeats one. */
const { MODEL_RUNS, MODEL_SEED } = process.env;
const RUNS = Number(MODEL_RUNS ?? 16);
/** Long runs search for new faults. The usual run is always the same, so that it fails only because of a change. */
const SEED = Number(MODEL_SEED ?? (MODEL_RUNS ? Date.now() % 2 ** 31 : 1));
/** Of the run that failed, as it is printed: only that one is repeated. */
const PATH = process.env.MODEL_PATH;
/** Several at once share groups of writes; what they do to one another's time is not repeated by a seed. */
const TOGETHER = Number(process.env.MODEL_TOGETHER ?? 1);
const MAX_STEPS_OF_RUN = 300;
/** On average, a run has a third of the steps that it may have. With far fewer the test says nothing. */
const MIN_STEPS = (RUNS * MAX_STEPS_OF_RUN) / 10;
/** How long a failure is shrunk before it is reported. Each attempt is a run of its own. */
const SHRINKING_MS = 60_000;
const MS_PER_RUN = 60_000;

beforeAll(startWorkItems);
afterAll(stopWorkItems);
// Time passes as the steps say, however long they take: leases expire then, and not between the service and the model.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('any operations of one caller', () => {
  test('do what the model of the interface does', { timeout: RUNS * MS_PER_RUN + SHRINKING_MS }, async () => {
    console.log(`MODEL_SEED=${SEED}, ${RUNS} runs`);
    const seeds = Array.from({ length: TOGETHER }, (_, lane) => SEED + lane);
    // One that fails does not end while others still use the database, which goes when the test ends.
    const ended = await Promise.allSettled(seeds.map(compareRuns));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    console.log(`${stepsSoFar()} steps`);
    expect(stepsSoFar()).toBeGreaterThan(MIN_STEPS);
  });
});

async function compareRuns(seed: number): Promise<void> {
  let firstFailureAt: number | undefined;
  const oneRun = async (steps: Iterable<Command>) => {
    if (firstFailureAt !== undefined && performance.now() - firstFailureAt > SHRINKING_MS) return;
    const both = await whileItStands(startBoth);
    underWay.add(both.model);
    try {
      await fc.asyncModelRun(() => ({ model: both.model, real: both.service }), steps);
      await whileItStands(() => compareAll(both.model, both.service));
    } catch (error) {
      firstFailureAt ??= performance.now();
      throw error;
    } finally {
      underWay.delete(both.model);
    }
  };
  await fc.assert(fc.asyncProperty(fc.commands([anyStep], { maxCommands: MAX_STEPS_OF_RUN, size: 'max' }), oneRun), {
    seed,
    numRuns: Math.ceil(RUNS / TOGETHER),
    ...(PATH !== undefined && { path: PATH }),
  });
}
type Command = fc.AsyncCommand<Model, Service>;
