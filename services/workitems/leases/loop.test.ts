import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);
afterEach(() => void vi.useRealTimers());

const RUNS = Number(process.env.LOOP_RUNS ?? 12);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 100_000_000);
const MAX_ROUNDS = 400;
const LEASE_SECONDS = 60;

interface Held {
  readonly workItemId: string;
  readonly leaseToken: string;
  isAsking: boolean;
}

/** What an agent, or a reviewer, does in a round. */
type Act = 'work' | 'die' | 'ask' | 'release' | 'fail';
const Acts = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Act>('work') },
    { weight: 1, arbitrary: fc.constantFrom<Act>('die', 'ask', 'release') },
    { weight: 2, arbitrary: fc.constant<Act>('fail') },
  ),
  { minLength: 12, maxLength: 40 },
);
/** For each task, which of the tasks before it it waits for. */
const Plan = fc.array(fc.array(fc.nat(9), { maxLength: 2 }), { minLength: 2, maxLength: 7 });

async function plan(project: TestProject, waits: readonly (readonly number[])[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [n, on] of waits.entries()) {
    const dependsOn = n === 0 ? [] : [...new Set(on.map((each) => ids[each % n] as string))];
    ids.push((await project.create('task', { dependsOn })).id);
  }
  return ids;
}

/** Every empty claim while something is left to do must name what is in the way, and time alone must clear what an agent that died left behind. */
test('work that agents take up, abandon, ask about and do badly gets done in the end, whatever they do', {
  timeout: 600_000,
}, async () => {
  console.log(`MODEL_SEED=${SEED}, ${RUNS} runs`);
  await fc.assert(
    fc.asyncProperty(Plan, Acts, async (waits, acts) => {
      vi.useRealTimers();
      const project = await startProject();
      const { caller } = project;
      const ids = await plan(project, waits);
      const held: Held[] = [];
      let next = 0;
      // Agents do badly only in the rounds of the plan; then they work.
      const act = (): Act => acts[next++] ?? 'work';
      for (let round = 0; ; round++) {
        const columns = await Promise.all(ids.map(async (id) => (await project.get(id)).columnName));
        if (columns.every((name) => name === 'Done')) return;
        expect(round, `no end of it: ${columns}`).toBeLessThan(MAX_ROUNDS);
        const isClaimed = await agentRound();
        const isReviewed = await reviewRound(columns);
        const isHandedOver = await handOverRound();
        if (isClaimed || isReviewed || isHandedOver) continue;
        // Nobody can do anything: only the leases of dead agents are in the way, and they end on their own.
        const { reason = '' } = await call(caller, 'workItems.claim', { agent: 'watcher' });
        expect(reason).toMatch(/held by/);
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (LEASE_SECONDS + 1) * 1_000 });
      }

      async function agentRound(): Promise<boolean> {
        const what = act();
        const input = { agent: `agent ${next}`, leaseSeconds: LEASE_SECONDS };
        const { workItem, lease, reason } = await call(caller, 'workItems.claim', input);
        if (!workItem || !lease) {
          expect(reason).toBeTruthy();
          return false;
        }
        if (what === 'die') return true;
        const mine = { workItemId: workItem.id, leaseToken: lease.token };
        if (what === 'release') await call(caller, 'workItems.release', mine);
        else {
          if (what === 'ask') {
            await call(caller, 'workItems.progress', { ...mine, state: 'awaiting_input', question: 'Which?' });
          }
          held.push({ ...mine, isAsking: what === 'ask' });
        }
        return true;
      }

      async function handOverRound(): Promise<boolean> {
        const mine = held.shift();
        if (!mine) return false;
        const { workItemId, leaseToken } = mine;
        if (mine.isAsking) {
          await call({ ...caller, keyId: 'a person' }, 'workItems.comment', { workItemId, text: 'That one.' });
          const answer = await call(caller, 'workItems.progress', { workItemId, leaseToken, state: 'working' });
          expect(answer.answers).toMatchObject([{ text: 'That one.' }]);
        }
        const session = { model: 'gpt-5', totalTokens: 10 };
        await call(caller, 'workItems.completeAiTask', {
          workItemId,
          leaseToken,
          reviewColumnId: 'Review',
          ...session,
        });
        return true;
      }

      async function reviewRound(columns: readonly string[]): Promise<boolean> {
        const at = columns.findIndex((name) => name === 'Review' || name === 'Testing');
        const workItemId = ids[at];
        if (workItemId === undefined) return false;
        const isFailed = act() === 'fail';
        if (columns[at] === 'Review') {
          const result = isFailed ? 'fail' : 'pass';
          await call(caller, 'workItems.completeReview', { workItemId, result, summary: 'Read' });
          return true;
        }
        const session = { model: 'gpt-5', totalTokens: 10, testResults: { passed: 1, failed: isFailed ? 1 : 0 } };
        await call(caller, 'workItems.completeValidation', { workItemId, ...session });
        if (!isFailed) await project.move(workItemId, 'Done');
        return true;
      }
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
});
