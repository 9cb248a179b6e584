/** Letters that do not decompose into a base letter and an accent, though people read them as that. */
const STROKED: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
};

/** Combining marks of Latin, Greek and Cyrillic. Not all of `\p{M}`: the vowel signs of Indic scripts are no accents. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The distinct words of a text, in the form in which they are compared: without case and accents, compatibility forms unified.
 * A word is a run of letters, marks and digits, so `snake_case` and `foo.bar` are two words each.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    // Upper case first: it takes ß to SS.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(/[đðħıłøŧæœþς]/g, (letter) => STROKED[letter] ?? letter);
  return [...new Set(folded.match(WORD))];
}

/** The lengths (in code points) of the prefixes that are indexed. A longer one is looked up by the longest of these, then compared whole. */
const LENGTHS = [1, 2, 3, 5] as const;

export interface SearchEntry {
  readonly prefixes: string[];
  /** All words, each with a space before it, so that ` pre` is found where a word starts with `pre`. */
  readonly words: string;
}

export function searchEntry(...texts: readonly string[]): SearchEntry {
  const words = wordsOf(texts.join('\n'));
  const prefixes = new Set<string>();
  for (const word of words) {
    for (const length of LENGTHS) prefixes.add(prefixOf(word, length));
  }
  return { prefixes: [...prefixes], words: words.map((word) => ` ${word}`).join('') };
}

export interface SearchQuery {
  /** All must be among an entry's prefixes. */
  readonly prefixes: string[];
  /** All must be found in an entry's words. Empty where the prefixes say it all. */
  readonly starts: string[];
}

export function searchQuery(words: readonly string[]): SearchQuery {
  const prefixes = new Set<string>();
  const starts = new Set<string>();
  for (const word of words) {
    const length = [...word].length;
    const indexed = LENGTHS.findLast((indexedLength) => indexedLength <= length) ?? LENGTHS[0];
    prefixes.add(prefixOf(word, indexed));
    if (indexed !== length) starts.add(` ${word}`);
  }
  return { prefixes: [...prefixes], starts: [...starts] };
}

function prefixOf(word: string, length: number): string {
  return [...word].slice(0, length).join('');
}
