import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeOutput } from '../security/output.ts';
import { startSystem } from '../support/system.ts';
import { runCallers } from './callers.ts';
import { INVARIANTS } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** `MODEL_OPERATIONS=5000 npm test -- test/model/concurrent` is the long form; `MODEL_SEED` repeats what is chosen, but not which calls coincide. */
const OPERATIONS = Number(process.env.MODEL_OPERATIONS ?? 1_000);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const LONG_FORM_OPERATIONS = 5_000;
/** In the short form other files run beside it, and each call still has its real deadline. */
const CALLERS = OPERATIONS < LONG_FORM_OPERATIONS ? 8 : 16;
const MS_PER_OPERATION = 500;
/** Enforced where nothing else is meant to run on the machine: in the long form. */
const SLOWEST_ANSWER_MS = 2_000;

let system: Awaited<ReturnType<typeof startSystem>>;
const ledger = new Ledger();
let snapshot: Snapshot;

beforeAll(
  async () => {
    // Two, so that not all calls about one tree meet in one process.
    system = await startSystem({ replicas: { workitems: 2 } });
    const organization = await system.newOrganization();
    console.log(`MODEL_SEED=${SEED}, ${OPERATIONS} operations by ${CALLERS} callers`);
    const keys = await runCallers(system.baseUrl, organization, ledger, {
      callers: CALLERS,
      operations: OPERATIONS,
      seed: SEED,
    });
    const outcomes = [...ledger.answers].map(([outcome, count]) => `${outcome} × ${count}`).toSorted();
    const { durationMs, what } = ledger.slowest;
    console.log(`${outcomes.join(', ')}\nThe slowest answer took ${Math.round(durationMs)} ms: ${what}`);
    // A call that fails is answered with a request id, and its cause is in a log, which is removed with the system.
    if (ledger.failures.length > 0) console.log(errorsIn(await wholeOutput(system)));
    snapshot = await takeSnapshot(
      organization,
      keys.map(({ call }) => call),
      ledger.of('created').map(({ itemId }) => itemId),
      ledger.of('claimed').map(({ token }) => token),
    );
  },
  OPERATIONS * MS_PER_OPERATION + 180_000,
);
afterAll(() => system?.stop());

function errorsIn(output: ReadonlyMap<string, string>): string {
  const lines = [...output.values()].flatMap((text) => text.split('\n'));
  return lines.filter((line) => line.startsWith('{"level":"error"')).join('\n');
}

describe(`${CALLERS} callers at the same time, on the same trees`, () => {
  test('are each answered or refused with a proper reason: none fails', () => {
    expect(ledger.failures).toEqual([]);
  });

  test.each(Object.entries(INVARIANTS))('%s', (_, broken) => {
    expect(broken(snapshot, ledger)).toEqual([]);
  });

  test.runIf(OPERATIONS >= LONG_FORM_OPERATIONS)(`wait less than ${SLOWEST_ANSWER_MS} ms`, () => {
    expect(ledger.slowest.durationMs).toBeLessThan(SLOWEST_ANSWER_MS);
  });
});
