import { expect, test } from 'vitest';
import { handleOf, mentionedIn } from './mentions.ts';

test.each<[string, string, string[]]>([
  ['a name', 'Ask @Ada, please.', ['ada']],
  ['a name of several words, without its spaces', 'Thanks @AdaLovelace!', ['adalovelace']],
  ['at the start, in brackets, and after a line break', '@ada (@grace)\n@linus', ['ada', 'grace', 'linus']],
  ['each once, in any case', '@Ada @ada @ADA', ['ada']],
  [
    'letters of any script, and marks',
    '@Ümit @山田太郎 @Jean-Luc @O’Brien',
    ['ümit', '山田太郎', 'jean-luc', "o'brien"],
  ],
  ['without the end of a sentence', 'By @ada.', ['ada']],
  ['emphasized, too', '_@ada_ __@grace__ **@linus**', ['ada', 'grace', 'linus']],
  ['nobody in an address', 'ada@example.com, git@host:a/b, ada_@example.com', []],
  ['nobody in code', 'Use `@Input()` or\n```ts\n@Component\n```\nsays @grace', ['grace']],
  ['nobody in code that never ends', '```\n@Component', []],
  ['nobody', '@ a@ @@ada', []],
])('mentions %s', (_, text, expected) => {
  expect(mentionedIn(text)).toEqual(expected);
});

test('a handle is the name without spaces, in any case', () => {
  expect(handleOf(' Ada  Lovelace ')).toBe('adalovelace');
  for (const written of ['İrem Işık', 'irem ışık', 'IREM IŞIK', 'İREM IŞIK'])
    expect(handleOf(written)).toBe('iremişik');
  expect(handleOf('O’Franklin')).toBe(handleOf("O'Franklin"));
});

test('takes no longer for texts that are made to', () => {
  const at = performance.now();
  for (const text of ['@'.repeat(50_000), '`'.repeat(50_000), '@a.'.repeat(16_000), '```\n@a'.repeat(10_000)])
    mentionedIn(text);
  expect(performance.now() - at).toBeLessThan(2_000);
});
