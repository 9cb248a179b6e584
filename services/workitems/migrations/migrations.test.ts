import { type Migration, migrate } from '@worktrack/runtime/database/migrations/migrate';
import { createLog } from '@worktrack/runtime/process/logging';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SearchModel } from '../search/search.model.ts';
import { call, startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { searchWordsMigration } from './search-words.repository.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const log = createLog('test', 'silent');
let names = 0;
const named = (migration: Omit<Migration, 'name'>): Migration => ({ ...migration, name: `of a test ${++names}` });

/** Counts three documents, one in a batch. */
function counting(isUrgent: boolean, seen: string[], onBatch: (after: string) => void = () => undefined): Migration {
  return named({
    isUrgent,
    async batch(after) {
      onBatch(after);
      const next = ['a', 'b', 'c'].find((id) => id > after);
      if (next) seen.push(next);
      return next;
    },
  });
}

test('a migration goes through everything once, whatever is restarted', async () => {
  const seen: string[] = [];
  const migration = counting(false, seen);
  for (let start = 0; start < 3; start++) {
    const { done } = await migrate([migration], log);
    await done;
    expect(seen).toEqual(['a', 'b', 'c']);
  }
});

test('an urgent one goes through before the start continues', async () => {
  const seen: string[] = [];
  const started = await migrate([counting(true, seen)], log);
  expect(seen).toEqual(['a', 'b', 'c']);
  await started.stop();
});

test('one that was interrupted continues where it was', async () => {
  const seen: string[] = [];
  let isBroken = true;
  const migration = counting(true, seen, (after) => {
    if (after === 'b' && isBroken) throw new Error('broken off');
  });
  await expect(migrate([migration], log)).rejects.toThrow('broken off');
  expect(seen).toEqual(['a', 'b']);
  isBroken = false;
  await (await migrate([migration], log)).stop();
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('replicas that start together each finish, and no document is left out', async () => {
  const seen: string[] = [];
  const migration = counting(true, seen);
  const started = await Promise.all([1, 2, 3].map(() => migrate([migration], log)));
  await Promise.all(started.map(({ done }) => done));
  expect(new Set(seen)).toEqual(new Set(['a', 'b', 'c']));
});

test('entries of an older version are found by words once the service has started', async () => {
  const { caller, create } = await startProject();
  const { organizationId } = caller;
  const epic = await create('epic', { title: 'Straße' });
  const task = await create('task', { title: '検索ボタンが動かない' });
  const _id = mongoose.trusted({ $in: [epic.id, task.id] });
  await SearchModel.updateMany({ organizationId, _id }, { $set: { words: ' 検索ボタンが動かない', prefixes: ['検'] } });
  const search = async (text: string) =>
    (await call(caller, 'workItems.list', { search: text })).workItems.map(({ id }) => id);
  expect(await search('ボタン')).toEqual([]);

  await (await migrate([searchWordsMigration], log)).done;
  expect(await search('ボタン')).toEqual([task.id]);
  expect(await search('strasse')).toEqual([epic.id]);
});
