import { expect, test } from 'vitest';
import type { HistoryEntry } from './past.ts';
import { worksOf } from './work.ts';

const [USER, KEY] = ['user', 'key'];
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

/** @param minute of the hour before noon */
function entry(minute: number, given: Partial<HistoryEntry> & { readonly by?: [agent: string, run: string] }) {
  const { by, ...rest } = given;
  const actor = { userId: USER, keyId: KEY, ...(by && { agent: by[0], run: by[1] }) };
  const createdAt = new Date(NOW_MS - (60 - minute) * 60_000).toISOString();
  return { id: `at ${minute}`, eventType: 'updated', data: {}, actor, createdAt, ...rest } as HistoryEntry;
}
const session = (minute: number, run: string, data: Readonly<Record<string, unknown>>, agent = run) =>
  entry(minute, { eventType: 'ai_session', data: { run, agent, model: 'm', ...data }, by: [agent, run] });

const newestFirst = (...entries: HistoryEntry[]) => entries.toReversed();
const works = (events: HistoryEntry[], others: Partial<Parameters<typeof worksOf>[0]> = {}) =>
  worksOf({ events, isWhole: true, sessions: [], lease: null, ...others }, NOW_MS);

test('each claim’s steps are one session, with what it used; what people do in between is in none', () => {
  const events = newestFirst(
    entry(0, { eventType: 'created' }),
    entry(1, { by: ['one', 'a'] }),
    entry(2, { eventType: 'comment' }),
    entry(3, { by: ['one', 'a'] }),
    session(4, 'a', { heartbeats: 3, totalTokens: 100, estimatedCost: '0.500000', durationMs: 9_000 }, 'one'),
    entry(5, { by: ['two', 'b'] }),
    session(6, 'b', { heartbeats: 1, totalTokens: 10, estimatedCost: 'unknown', durationMs: null }, 'two'),
    session(7, 'b', { heartbeats: 4, totalTokens: 20, estimatedCost: '0.250000', durationMs: null }, 'two'),
  );
  expect(works(events)).toMatchObject([
    // The heartbeats of each session are counted from the claim on; without a duration, that from the first step to the last.
    { agent: 'two', run: 'b', heartbeats: 4, tokens: 30, cost: 0.25, isUnpriced: true, durationMs: 120_000 },
    { agent: 'one', run: 'a', heartbeats: 3, tokens: 100, cost: 0.5, isUnpriced: false, durationMs: 9_000 },
  ]);
  expect(works(events).map(({ steps }) => steps.length)).toEqual([3, 3]);
});

test('what an agent holds now goes on until now, with the tokens that it has reported', () => {
  const lease = { agent: 'one', claimedAt: entry(30, {}).createdAt, tokensSoFar: 7 };
  const events = newestFirst(
    session(10, 'a', { totalTokens: 5, estimatedCost: '1.0', sessionType: 'abandoned', durationMs: 1 }, 'one'),
    entry(31, { by: ['one', 'b'] }),
  );
  expect(works(events, { lease: lease as never })).toMatchObject([
    { run: 'b', isHeld: true, isAbandoned: false, tokens: 7, cost: undefined, durationMs: 30 * 60_000 },
    { run: 'a', isHeld: false, isAbandoned: true, tokens: 5 },
  ]);
});

test('a session without a claim is one of its own, and what an agent left that others settled is still its own', () => {
  const byHand = { ...entry(1, { eventType: 'ai_session', data: { model: 'm', totalTokens: 1 } }), id: 'by hand' };
  const settled = { ...session(3, 'a', { sessionType: 'abandoned' }, 'one'), actor: { userId: 'settler', keyId: 'k' } };
  expect(works(newestFirst(byHand, entry(2, { by: ['one', 'a'] }), settled))).toMatchObject([
    { id: 'a', agent: 'one', userId: USER, isAbandoned: true },
    { id: 'by hand', agent: undefined, run: undefined, userId: USER },
  ]);
});

test('where the history is not read whole, steps that may be missing are not counted as all', () => {
  const events = newestFirst(
    entry(10, { by: ['two', 'b'] }),
    session(11, 'b', { totalTokens: 1 }),
    entry(12, { by: ['three', 'c'] }),
  );
  const sessions = newestFirst(session(5, 'a', { totalTokens: 2 }), session(11, 'b', { totalTokens: 1 }));
  const found = works(events, { isWhole: false, sessions });
  expect(found.map(({ id, steps, hasMoreSteps }) => [id, steps.length, hasMoreSteps])).toEqual([
    ['c', 1, false],
    ['b', 2, true],
    ['a', 1, true],
  ]);
});
