import { randomUUID } from 'node:crypto';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { store } from '../testing.ts';
import {
  handDownSessions,
  insertSession,
  sessionsCountedFor,
  sumSessions,
  totalSessions,
} from './sessions.repository.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_sessions`, log: silent });
});
afterAll(disconnectDatabase);

interface Given {
  readonly item: string;
  readonly totalTokens: number;
  readonly cost: number | null;
  readonly day: string;
}

function storeAll(organizationId: string, sessions: readonly Given[]): Promise<void> {
  return store(organizationId, (scope) => {
    for (const { item, totalTokens, cost, day } of sessions) {
      insertSession(scope, {
        projectId: 'project',
        workItemId: item,
        taskId: `W-T-${item}`,
        aiModel: 'm',
        provider: 'p',
        totalTokens,
        inputTokens: totalTokens % 2 === 0 ? totalTokens / 2 : null,
        outputTokens: totalTokens % 2 === 0 ? totalTokens / 2 : null,
        cachedInputTokens: null,
        cacheWriteTokens: totalTokens % 2 === 0 ? 1 : null,
        durationMs: null,
        sessionType: 'implement',
        costMicrodollars: cost,
        createdAt: new Date(`${day}T23:59:59.999Z`),
      });
    }
  });
}

test('sums over any sessions are those of exact decimal arithmetic, in total and by group', async () => {
  const sessions = fc.array(
    fc.record({
      item: fc.constantFrom('1', '2', '3'),
      totalTokens: fc.nat(10_000_000_000),
      cost: fc.option(fc.maxSafeNat().map((cost) => cost % 1_000_000_000_000_000)),
      day: fc.constantFrom('2026-01-31', '2026-02-01'),
    }),
    { minLength: 1, maxLength: 9 },
  );
  let organizations = 0;
  await fc.assert(
    fc.asyncProperty(sessions, async (given) => {
      const organizationId = `organization ${organizations++}`;
      await storeAll(organizationId, given);
      const expected = (of: readonly Given[]) => {
        const micros = of.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n);
        const even = of.filter(({ totalTokens }) => totalTokens % 2 === 0);
        return {
          sessions: of.length,
          totalTokens: of.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
          inputTokens: even.reduce((sum, { totalTokens }) => sum + totalTokens / 2, 0),
          outputTokens: even.reduce((sum, { totalTokens }) => sum + totalTokens / 2, 0),
          cachedInputTokens: 0,
          cacheWriteTokens: even.length,
          durationMs: 0,
          estimatedCost: `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`,
          unpricedSessions: of.filter(({ cost }) => cost === null).length,
        };
      };
      expect(await totalSessions(organizationId, {})).toEqual(expected(given));
      for (const { key, label, ...sums } of await sumSessions(organizationId, {}, 'workItem')) {
        expect(label).toBe(`W-T-${key}`);
        expect(sums).toEqual(expected(given.filter(({ item }) => item === key)));
      }
      const days = await sumSessions(organizationId, {}, 'day');
      expect(days.map(({ key }) => key)).toEqual([...new Set(given.map(({ day }) => day))].sort());
    }),
    { numRuns: 25 },
  );
});

test('sums cover one organization, the items asked for and the time asked for', async () => {
  await storeAll('ours', [
    { item: '1', totalTokens: 1, cost: 1, day: '2026-01-31' },
    { item: '2', totalTokens: 10, cost: 1, day: '2026-01-31' },
    { item: '2', totalTokens: 100, cost: 1, day: '2026-02-01' },
  ]);
  await storeAll('theirs', [{ item: '2', totalTokens: 1_000, cost: 1, day: '2026-01-31' }]);
  const tokens = async (filter: Parameters<typeof totalSessions>[1]) =>
    (await totalSessions('ours', filter)).totalTokens;
  expect(await tokens({})).toBe(111);
  expect(await tokens({ itemIds: ['2'] })).toBe(110);
  expect(await tokens({ itemIds: [] })).toBe(0);
  expect(await tokens({ itemIds: ['2'], before: new Date('2026-02-01') })).toBe(10);
  expect(await tokens({ from: new Date('2026-02-01') })).toBe(100);
  expect(await tokens({ projectId: 'another' })).toBe(0);
});

test('what a deleted item cost counts for its parent', async () => {
  await storeAll('deleting', [
    { item: 'parent', totalTokens: 1, cost: 1, day: '2026-01-31' },
    { item: 'child', totalTokens: 10, cost: 1, day: '2026-01-31' },
  ]);
  await store('deleting', (scope) => handDownSessions(scope, 'child', 'parent'));
  expect((await totalSessions('deleting', { itemIds: ['parent'] })).totalTokens).toBe(11);
  expect((await sumSessions('deleting', { itemIds: ['parent'] }, 'workItem')).map(({ label }) => label)).toEqual([
    'W-T-child',
    'W-T-parent',
  ]);
  expect(await sessionsCountedFor('deleting', ['parent'], 3)).toHaveLength(2);
});

test('sums over more items than fit into one query of 16 MB', async () => {
  const organizationId = 'organization with many';
  const itemIds = Array.from({ length: 400_000 }, () => randomUUID());
  const [first = '', last = ''] = [itemIds[0], itemIds.at(-1)];
  const [early, late] = ['2026-01-31', '2026-02-01'];
  const session = { totalTokens: 2, cost: 3 };
  await storeAll(organizationId, [
    { ...session, item: last, day: early },
    { ...session, item: first, day: late },
    { ...session, item: randomUUID(), day: early },
  ]);
  // Whatever MongoDB would refuse ends the tests with an error (test/mongodb/guard).
  expect(await totalSessions(organizationId, { itemIds })).toMatchObject({ sessions: 2, totalTokens: 4 });
  const days = await sumSessions(organizationId, { itemIds }, 'day');
  expect(days.map(({ key, totalTokens }) => [key, totalTokens])).toEqual([
    [early, 2],
    [late, 2],
  ]);
  expect(await sumSessions(organizationId, { itemIds }, 'model')).toMatchObject([{ sessions: 2, totalTokens: 4 }]);
  const sessions = await sessionsCountedFor(organizationId, itemIds, 2);
  expect(sessions.map(({ workItemId }) => workItemId)).toEqual([last, first]);
  // No more are read than are asked for: the oldest, in whichever query they are found.
  expect(await sessionsCountedFor(organizationId, itemIds, 1)).toEqual(sessions.slice(0, 1));
});
