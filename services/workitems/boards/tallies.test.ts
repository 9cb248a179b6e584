import { type CommitOutcome, WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { expect, test } from 'vitest';
import { relyOnColumns } from './tallies.repository.ts';

const board = { organizationId: 'organization', _id: 'board', columnsVersion: 1 };
/** The record of the board that a write relies on. */
function tallyOf(outcome: CommitOutcome): string | undefined {
  const writes = new WriteSet();
  relyOnColumns({ writes }, board);
  const [tally] = [...writes.shared()].map(([key]) => key);
  writes.conclude(outcome);
  return tally;
}

test('a process stays with its record of a board for as long as its writes are stored', () => {
  const tally = tallyOf('stored');
  expect(tally).toContain(board._id);
  expect([tallyOf('unused'), tallyOf('unknown'), tallyOf('stored')]).toEqual([tally, tally, tally]);
});

test('a process whose write had to run again takes another record, since another replica may have the same', () => {
  for (let time = 0; time < 100; time++) expect(tallyOf('stale')).not.toBe(tallyOf('stored'));
});

test('of several writes that have met the same replica, the first takes another record for all', () => {
  const sets = [new WriteSet(), new WriteSet(), new WriteSet()];
  for (const writes of sets) relyOnColumns({ writes }, board);
  const before = tallyOf('stored');
  sets[0]?.conclude('stale');
  const after = tallyOf('stored');
  for (const writes of sets.slice(1)) writes.conclude('stale');
  expect([after === before, tallyOf('stored')]).toEqual([false, after]);
});
