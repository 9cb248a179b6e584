import type { OperationError } from '@worktrack/contracts/errors';
import { expect, test } from 'vitest';
import { parseJsonBody } from './json-body.ts';

function pathOfRefusal(text: string): string | undefined {
  try {
    parseJsonBody(text);
  } catch (error) {
    return (error as OperationError).extra.details?.[0]?.path;
  }
  throw new Error('It was taken.');
}

const many = Array.from({ length: 80_000 }, (_, number) => `"key${number}":1`).join(',');

test.each([
  ['as it is', '{"__proto__":{"a":1}}', '__proto__'],
  ['escaped', '{"\\u005f_pro\\u0074o__":{"a":1}}', '__proto__'],
  ['below a list', '{"a":[0,{"b":{"__proto__":1}}]}', 'a.1.b.__proto__'],
  ['behind 80 000 other keys', `{${many},"a":{"__proto__":1}}`, 'a.__proto__'],
  ['of a constructor', '{"a":{"constructor":{"prototype":{"b":1}}}}', 'a.constructor'],
  [
    'deeper than the stack',
    `${'{"a":'.repeat(150_000)}{"__proto__":1}${'}'.repeat(150_000)}`,
    Array(20).fill('a').join('.'),
  ],
])('a prototype-poisoning key is refused, with its path: %s', (_, text, path) => {
  expect(pathOfRefusal(text)).toBe(path);
});

test.each([
  ['the words as values', { a: '__proto__', b: 'constructor' }],
  ['a constructor without a prototype', { constructor: { name: 'Builder & Sons' }, a: { constructor: null } }],
  ['nothing suspicious', { a: [1, { b: null }] }],
])('%s: accepted as it is', (_, body) => {
  expect(parseJsonBody(JSON.stringify(body))).toEqual(body);
});

test('what is not JSON, including a mebibyte of brackets, is refused with the reason', () => {
  expect(pathOfRefusal('{"a":')).toBe('');
  expect(pathOfRefusal('['.repeat(1_048_576))).toBe('');
});
