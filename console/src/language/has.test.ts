import { expect, test } from 'vitest';
import { has, hasWord } from './has.ts';

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

test.each([
  ['Undo the last change (z)', 'last', true],
  ['Undo the last change (z)', 'hang', false],
  ['Son değişikliği geri al (z)', 'ışık', false],
  ['Son değişikliği geri al (z)', 'DEĞİŞ', true],
  ['Project: Inbox', 'project:', true],
  ['最後の変更を元に戻す', '変更', true],
  ['Anything', '', true],
])('of “%s” a word begins with “%s”: %s', (name, typed, isFound) => expect(hasWord(name, typed)).toBe(isFound));
