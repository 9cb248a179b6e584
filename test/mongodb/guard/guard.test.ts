import { expect, test } from 'vitest';
import type { Document } from './command.ts';
import { Guard } from './guard.ts';

const lsid = { id: 'session 1' };
const transaction = (number: number) => ({ lsid, txnNumber: number, autocommit: false, $db: 'd' });
const find = { find: 'items', filter: {} };
const rules = (guard: Guard, id: number, command: Document) => guard.started(id, command).map(({ rule }) => rule);

test('two simultaneous commands in one session are found, consecutive ones are not', () => {
  const guard = new Guard(() => undefined);
  expect(rules(guard, 1, { ...find, ...transaction(1), startTransaction: true })).toEqual([]);
  expect(rules(guard, 2, { ...find, ...transaction(1) })).toEqual([
    'find begins while find of its session is under way',
  ]);
  guard.ended(1, { ok: 1 });
  guard.ended(2, undefined);
  expect(rules(guard, 3, { ...find, ...transaction(1) })).toEqual([]);
});

test('a command after the end of its transaction is found, the session’s next transaction is not', () => {
  const guard = new Guard(() => undefined);
  rules(guard, 1, { ...find, ...transaction(1), startTransaction: true });
  guard.ended(1, {});
  expect(rules(guard, 2, { commitTransaction: 1, ...transaction(1) })).toEqual([]);
  guard.ended(2, {});
  expect(rules(guard, 3, { ...find, ...transaction(1) })).toEqual(['find after the end of its transaction']);
  guard.ended(3, {});
  expect(rules(guard, 4, { ...find, ...transaction(2), startTransaction: true })).toEqual([]);
});

test('a cursor is read where it was opened', () => {
  const guard = new Guard(() => undefined);
  rules(guard, 1, { ...find, ...transaction(1), startTransaction: true });
  guard.ended(1, { cursor: { id: 9n, firstBatch: [] } });
  expect(rules(guard, 2, { getMore: 9n, collection: 'items', ...transaction(1) })).toEqual([]);
  guard.ended(2, { cursor: { id: 9n, nextBatch: [] } });
  expect(rules(guard, 3, { getMore: 9n, collection: 'items', lsid: { id: 'other' }, $db: 'd' })).toEqual([
    'getMore outside of the transaction that opened the cursor',
  ]);
});

test('the indexes of a collection are counted over all commands that create them', () => {
  const guard = new Guard(() => undefined);
  for (let number = 1; number <= 63; number++) {
    const command = { createIndexes: 'items', indexes: [{ name: `i${number}`, key: { [`f${number}`]: 1 } }], $db: 'd' };
    expect(rules(guard, number, command)).toEqual([]);
    guard.ended(number, { ok: 1 });
  }
  const another = { createIndexes: 'items', indexes: [{ name: 'i64', key: { f64: 1 } }], $db: 'd' };
  expect(rules(guard, 64, another)).toEqual(['65 indexes of items: at most 64']);
});
