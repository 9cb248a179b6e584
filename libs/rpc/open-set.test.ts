import { expect, test } from 'vitest';
import { OpenSet } from './open-set.ts';

const call = (name: string) => ({ id: 0, name });

test('what has begun is found by its number, and in the order in which it began', () => {
  const open = new OpenSet<ReturnType<typeof call>>();
  const [first, second, third] = [call('first'), call('second'), call('third')];
  for (const each of [first, second, third]) open.add(each);
  expect(open.get(second.id)).toBe(second);
  expect(open.delete(second)).toBe(true);
  expect(open.delete(second)).toBe(false);
  expect(open.get(second.id)).toBeUndefined();
  expect([...open].map(({ name }) => name)).toEqual(['first', 'third']);
  expect(open.size).toBe(2);
});

test('what never began cannot end', () => {
  const open = new OpenSet<ReturnType<typeof call>>();
  open.add(call('begun'));
  expect(open.delete(call('not begun'))).toBe(false);
  expect(open.size).toBe(1);
});

test('each may end while all are looked through, and another one begin', () => {
  const open = new OpenSet<ReturnType<typeof call>>();
  const calls = Array.from({ length: 100 }, (_, index) => call(`${index}`));
  for (const each of calls) open.add(each);
  const seen: string[] = [];
  for (const each of open) {
    seen.push(each.name);
    open.delete(each);
    if (each.name === '0') open.delete(calls[1] as (typeof calls)[number]);
    if (each.name === '99') open.add(call('100'));
  }
  expect(seen).toEqual(['0', ...calls.slice(2).map(({ name }) => name), '100']);
  expect(open.size).toBe(0);
});
