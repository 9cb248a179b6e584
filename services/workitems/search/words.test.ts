import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchEntry, searchQuery, wordsOf } from './words.ts';

test.each([
  ['Fix the LOGIN page', ['fix', 'the', 'login', 'page']],
  ['Café, CAFÉ and cafe\u0301', ['cafe', 'and']],
  ['Straße STRASSE', ['strasse']],
  ['İstanbul ISTANBUL ıstanbul', ['istanbul']],
  ['Łódź Ørsted æther Đà', ['lodz', 'orsted', 'aether', 'da']],
  ['ΟΔΟΣ οδός', ['οδοσ']],
  ['snake_case foo.bar don’t a/b', ['snake', 'case', 'foo', 'bar', 'don', 't', 'a', 'b']],
  ['v2.0 ＦＵＬＬ ﬁne', ['v2', '0', 'full', 'fine']],
  ['検索機能', ['検索機能']],
  ['हिन्दी', ['हिन्दी']],
  ['🚀 !?', []],
  ['', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words.map((word) => word.normalize('NFKD')));
});

/** What the index does, on one entry. */
function finds(entry: ReturnType<typeof searchEntry>, words: readonly string[]): boolean {
  const { prefixes, starts } = searchQuery(words);
  return (
    prefixes.every((prefix) => entry.prefixes.includes(prefix)) && starts.every((start) => entry.words.includes(start))
  );
}

describe('an entry of the index is found', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𝒳', '1'), minLength: 1, maxLength: 9 });

  test('by exactly those queries of which each word is a prefix of some word in one of the texts', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), fc.array(word, { minLength: 1, maxLength: 3 }), (texts, query) => {
        const has = wordsOf(texts.join(' '));
        const wanted = wordsOf(query.join(' '));
        const expected = wanted.every((each) => has.some((other) => other.startsWith(each)));
        expect(finds(searchEntry(...texts), wanted)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('by every prefix of every of its words', () => {
    const text = 'Intercontinental flights';
    for (const [whole] of text.matchAll(/\w+/g)) {
      for (let length = 1; length <= whole.length; length++) {
        expect(finds(searchEntry(text), wordsOf(whole.slice(0, length)))).toBe(true);
      }
    }
    expect(finds(searchEntry(text), wordsOf('continental'))).toBe(false);
    expect(finds(searchEntry(text), wordsOf('interX'))).toBe(false);
  });

  test('across texts, but not across the border of two words', () => {
    expect(finds(searchEntry('one', 'two'), ['two', 'one'])).toBe(true);
    expect(finds(searchEntry('one', 'two'), ['onetwo'])).toBe(false);
  });
});
