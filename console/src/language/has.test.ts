import { expect, test } from 'vitest';
import { has } from './has.ts';

test.each([
  ['İş ışığı', 'iş'],
  ['İş ışığı', 'IŞIĞI'],
  ['IŞIK', 'ışık'],
  ['Inbox', 'inbox'],
  ['Überprüfung', 'uberprüf'],
  ['Café', 'CAFE\u0301'],
  ['検索ボタン', 'ボタン'],
  ['Anything', '  '],
])('%s is found by %s', (name, typed) => expect(has(name, typed)).toBe(true));

test.each([
  ['ボタン', 'ホ'],
  ['Inbox', 'outbox'],
])('%s is not found by %s', (name, typed) => expect(has(name, typed)).toBe(false));
