import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finds, searchEntry, searchParts, searchQuery, searchText, wordsOf } from './words.ts';

test.each([
  ['Fix the LOGIN page', ['fix', 'the', 'login', 'page']],
  ['Café, CAFÉ and cafe\u0301', ['cafe', 'and']],
  ['Straße STRASSE', ['strasse']],
  ['İstanbul ISTANBUL ıstanbul', ['istanbul']],
  ['Łódź Ørsted æther Đà cœur', ['lodz', 'orsted', 'aether', 'da', 'coeur']],
  ['ΟΔΟΣ οδός', ['οδοσ']],
  ['snake_case foo.bar don’t a/b', ['snake', 'case', 'foo', 'bar', 'don', 't', 'a', 'b']],
  ['v2.0 ＦＵＬＬ ﬁne', ['v2', '0', 'full', 'fine']],
  ['検索機能', ['検索機能']],
  ['検索APIの更新', ['検索', 'api', 'の更新']],
  ['ﾎﾞﾀﾝ ボタン', ['ボタン']],
  ['검색 한\u0020글', ['검색', '한', '글']],
  ['ค้นหา', ['ค้นหา']],
  ['हिन्दी', ['हिन्दी']],
  ['شُكْرًا שָׁלוֹם', ['شكرا', 'שלום']],
  ['🚀 !?', []],
  ['', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words.map((word) => word.normalize('NFC')));
});

/** What the index does, on one entry. */
function isFoundIn(entry: ReturnType<typeof searchEntry>, words: readonly string[]): boolean {
  const { prefixes, parts } = searchQuery(words);
  return (
    prefixes.every((prefix) => entry.prefixes.includes(prefix)) && parts.every((part) => entry.words.includes(part))
  );
}

/** What reading the text does, without an index. */
function isFoundByReading(text: string, words: readonly string[]): boolean {
  return searchParts(words).every((part) => new RegExp(part).test(text));
}

describe('an entry of the index is found', () => {
  const spaced = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𝒳', '1'), minLength: 1, maxLength: 9 });
  const unspaced = fc.string({
    unit: fc.constantFrom('検', '索', 'ボ', '검', 'ห', '𠀀', 'b'),
    minLength: 1,
    maxLength: 7,
  });
  const word = fc.oneof(spaced, unspaced);

  test('by exactly those queries whose every word begins a word of the texts, or is part of one without spaces; reading the text finds the same', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), fc.array(word, { minLength: 1, maxLength: 3 }), (texts, query) => {
        const has = wordsOf(texts.join(' '));
        const wanted = wordsOf(query.join(' '));
        const isUnspaced = (text: string) => /^[検索ボ검ห𠀀]/u.test(text);
        const expected = wanted.every((each) =>
          has.some((other) => (isUnspaced(each) ? other.includes(each) : other.startsWith(each))),
        );
        expect(isFoundIn(searchEntry(...texts), wanted)).toBe(expected);
        expect(isFoundByReading(searchText(...texts), wanted)).toBe(expected);
        expect(wanted.every((each) => has.some((other) => finds(each, other)))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('by every prefix of each of its words', () => {
    const text = 'Intercontinental flights';
    for (const [whole] of text.matchAll(/\w+/g)) {
      for (let length = 1; length <= whole.length; length++) {
        expect(isFoundIn(searchEntry(text), wordsOf(whole.slice(0, length)))).toBe(true);
      }
    }
    expect(isFoundIn(searchEntry(text), wordsOf('continental'))).toBe(false);
    expect(isFoundIn(searchEntry(text), wordsOf('interX'))).toBe(false);
  });

  test.each([
    [
      '検索ボタンが動かない',
      ['ボタン', 'ﾎﾞﾀﾝ', '検索', '動か', '索ボ', 'が', '検索ボタンが動かない'],
      ['ボンタ', '検タ', '動検'],
    ],
    ['로그인버튼이 작동하지 않습니다', ['버튼', '로그인', '작동', '동하지', '않습'], ['인튼', '튼버']],
    ['搜索按钮不起作用', ['按钮', '不起作用', '搜'], ['钮按', '搜按']],
    ['ปุ่มค้นหาไม่ทำงาน', ['ค้นหา', 'ทำงาน', 'ปุ่ม'], ['หาค้น']],
    ['設定APIを更新', ['api', '更新', '設定api'], ['pi']],
  ])('%s, by any part of it and by nothing else', (text, found, notFound) => {
    for (const query of found) expect([query, isFoundIn(searchEntry(text), wordsOf(query))]).toEqual([query, true]);
    for (const query of notFound) expect([query, isFoundIn(searchEntry(text), wordsOf(query))]).toEqual([query, false]);
  });

  test('across texts, but not across the boundary of two words', () => {
    expect(isFoundIn(searchEntry('one', 'two'), ['two', 'one'])).toBe(true);
    expect(isFoundIn(searchEntry('one', 'two'), ['onetwo'])).toBe(false);
  });
});
