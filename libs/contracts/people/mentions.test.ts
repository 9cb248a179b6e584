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
  ['somebody after a backtick that begins no code', 'The ` key, @ada, and ``two`` @grace', ['ada', 'grace']],
  ['nobody between as many backticks, whatever is between them', '``@Input() a ` b @Output()`` @ada', ['ada']],
  ['nobody in either kind of block', '~~~\n```\n@A\n~~~\n@ada\n````\n@B\n````\n@grace', ['ada', 'grace']],
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
  const ticks = (count: number) => '`'.repeat(count);
  const growing = Array.from({ length: 300 }, (_, before) => `${ticks(300 - before)}a`).join('');
  for (const text of [
    ...['@'.repeat(50_000), `@a${ticks(50_000)}`, '@a.'.repeat(16_000), '```\n@a'.repeat(10_000)],
    `@a${ticks(4_000)}a${`${ticks(1_999)}a`.repeat(3)}`,
    ...[`@a ${growing}`, '@a `'.repeat(12_500), `@${'_@'.repeat(25_000)}`, `${'_'.repeat(49_998)}@a`],
  ])
    mentionedIn(text);
  expect(performance.now() - at).toBeLessThan(2_000);
});
